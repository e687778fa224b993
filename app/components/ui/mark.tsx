const RISE = "M3 18 9 13.5 14.5 15.5 21 6";

export function Mark({ className = "size-6" }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" className={className} fill="none">
      <path d={RISE} className="stroke-accent" strokeWidth="2.75" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

/** The rising line, drawn as far as `done` of `total` goes. */
export function ProgressLine({ done, total, label }: { done: number; total: number; label: string }) {
  const percent = total > 0 ? Math.round((Math.min(done, total) / total) * 100) : 0;
  const line = "M2 17 22 13 40 14.5 62 7 78 3";
  return (
    <svg role="img" aria-label={`${label}: ${percent}%`} viewBox="0 0 80 20" className="h-5 w-20" fill="none">
      <path d={line} className="stroke-line" strokeWidth="2.5" strokeLinecap="round" strokeLinejoin="round" />
      {percent > 0 && (
        <path
          d={line}
          pathLength={100}
          strokeDasharray={`${percent} 200`}
          className="stroke-accent"
          strokeWidth="2.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
    </svg>
  );
}
