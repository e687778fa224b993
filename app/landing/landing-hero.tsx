type Props = { networks: string[]; networkCount: number };

/** Says above the calculator what Growline is. Rendered on the server only. */
export default function LandingHero(props: Props) {
  return (
    <div className="relative pt-14 pb-10 sm:pt-24 sm:pb-14">
      <Rise />
      <h1 className="relative max-w-[13ch] text-[40px] leading-[1.05] tracking-[-0.035em] sm:text-[64px]">
        Buy followers, likes and views.
      </h1>
      <p className="relative mt-5 max-w-[42ch] text-base text-muted sm:text-lg">
        {networksText(props)} One catalog, one balance: the price you see is what you pay, and what isn't delivered is
        refunded.
      </p>
    </div>
  );
}

/** "For Instagram, TikTok, YouTube and 8 more networks.", from the live catalog. */
function networksText({ networks: named, networkCount }: Props): string {
  const rest = networkCount - named.length;
  if (named.length === 0) return "";
  if (rest > 0) return `For ${named.join(", ")} and ${rest} more ${rest === 1 ? "network" : "networks"}.`;
  return `For ${[named.slice(0, -1).join(", "), named.at(-1)].filter(Boolean).join(" and ")}.`;
}

/** The mark, drawn large. */
function Rise() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 600 280"
      fill="none"
      className="absolute right-0 bottom-0 hidden h-full w-[54%] lg:block"
      preserveAspectRatio="xMaxYMax meet"
    >
      {[70, 140, 210, 279].map((y) => (
        <path key={y} d={`M0 ${y}H600`} className="stroke-line" strokeDasharray="2 6" />
      ))}
      <path
        d="M0 258 90 240 170 246 262 196 340 204 424 128 500 112 590 36"
        className="stroke-accent"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="590" cy="36" r="5" className="fill-accent" />
    </svg>
  );
}
