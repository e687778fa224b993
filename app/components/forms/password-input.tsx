import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { type ComponentPropsWithoutRef, forwardRef, useState } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Input } from "./field.tsx";

export const PasswordInput = forwardRef<
  HTMLInputElement,
  Omit<ComponentPropsWithoutRef<"input">, "type" | "className">
>(function PasswordInput(props, ref) {
  const [shown, setShown] = useState(false);
  const isHydrated = useIsHydrated();
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Input
        {...props}
        ref={ref}
        type={shown ? "text" : "password"}
        spellCheck={false}
        autoCapitalize="none"
        className="pr-12"
      />
      <button
        type="button"
        aria-label={shown ? "Hide password" : "Show password"}
        aria-controls={props.id}
        disabled={!isHydrated}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded-md text-muted not-disabled:hover:text-text disabled:opacity-50 noscript:hidden"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </div>
  );
});
