import { Link, type LinkProps } from "@remix-run/react";
import LoaderCircle from "lucide-react/icons/loader-circle";
import { type ComponentPropsWithoutRef, forwardRef, type MouseEvent } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";

type Variant = "primary" | "secondary" | "quiet" | "danger";
type Size = "regular" | "large";

const SHAPE =
  "inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none transition-colors aria-disabled:cursor-default disabled:cursor-default disabled:opacity-50";

const VARIANTS: Record<Variant, string> = {
  primary: "border-transparent bg-accent text-on-accent not-disabled:hover:bg-accent-hover",
  secondary: "border-line bg-raised text-text not-disabled:hover:border-line-strong",
  quiet: "border-transparent text-muted not-disabled:hover:bg-sunken not-disabled:hover:text-text",
  danger: "border-line bg-raised text-bad not-disabled:hover:border-bad",
};

const SIZES: Record<Size, string> = {
  regular: "h-11 px-3.5 text-sm sm:h-9",
  large: "h-12 px-5 text-base sm:h-11",
};

function look(variant: Variant, size: Size, className: string): string {
  return `${SHAPE} ${VARIANTS[variant]} ${SIZES[size]} ${className}`;
}

export type ButtonProps = ComponentPropsWithoutRef<"button"> & { variant?: Variant; size?: Size; busy?: boolean };

/**
 * A button that keeps its focus and width while `busy`, and ignores further clicks. Unless it submits a form, it needs
 * scripts and is disabled until the page is hydrated.
 */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  {
    variant = "primary",
    size = "regular",
    busy = false,
    className = "",
    type = "button",
    disabled,
    onClick,
    children,
    ...rest
  },
  ref,
) {
  const isHydrated = useIsHydrated();
  function press(event: MouseEvent<HTMLButtonElement>) {
    if (busy) event.preventDefault();
    else onClick?.(event);
  }
  return (
    <button
      {...rest}
      ref={ref}
      type={type}
      disabled={disabled || (type === "button" && !isHydrated)}
      className={`relative ${look(variant, size, className)}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={press}
    >
      <span className={`inline-flex items-center gap-2 ${busy ? "opacity-0" : ""}`}>{children}</span>
      {busy && <LoaderCircle aria-hidden className="absolute size-4 animate-spin" />}
    </button>
  );
});

export function ButtonLink({
  variant = "primary",
  size = "regular",
  className = "",
  ...rest
}: LinkProps & { variant?: Variant; size?: Size }) {
  return <Link {...rest} className={look(variant, size, className)} />;
}
