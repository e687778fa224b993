import KeyRound from "lucide-react/icons/key-round";
import type { ReactNode } from "react";
import { Button, type ButtonProps } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { usePasskey } from "./use-passkey.ts";

/**
 * A button that asks for a passkey, with its error above. Shows nothing in browsers without passkeys. Its place is kept
 * until that is known, so that nothing below it moves.
 */
export function PasskeyButton({
  passkey,
  refused,
  children,
  ...button
}: {
  passkey: ReturnType<typeof usePasskey>;
  /** The message of a form that the server refused. */
  refused?: string | undefined;
  children: ReactNode;
} & Pick<ButtonProps, "variant" | "size" | "className">) {
  const error = passkey.error ?? (passkey.isBusy ? undefined : refused);
  if (passkey.isAvailable === false) return null;
  return (
    <div className={`flex flex-col gap-3 ${passkey.isAvailable ? "" : "invisible"}`}>
      {error && <Notice tone="bad">{error}</Notice>}
      <Button {...button} busy={passkey.isBusy} onClick={() => passkey.ask()}>
        <KeyRound aria-hidden className="size-4" />
        {children}
      </Button>
    </div>
  );
}
