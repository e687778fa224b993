import ChevronDown from "lucide-react/icons/chevron-down";
import type { ComponentProps } from "react";
import { CONTROL } from "./field.tsx";

export function Select({ className = "", ...rest }: ComponentProps<"select">) {
  return (
    <div className="relative min-w-0">
      <select {...rest} className={`${CONTROL} h-11 appearance-none truncate pr-9 sm:h-10 ${className}`} />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  );
}
