import CircleAlert from "lucide-react/icons/circle-alert";
import { type ComponentPropsWithoutRef, forwardRef, type ReactNode } from "react";

/** Props that tie a control to its label, help and error. Browsers focus the first `autoFocus` control: the first error. */
export type Control = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  autoFocus: true | undefined;
};

export function Field({
  id,
  label,
  help,
  error,
  optional = false,
  className = "",
  children,
}: {
  id: string;
  label: ReactNode;
  help?: ReactNode;
  /** Only the first one is shown. */
  error?: string | string[] | undefined;
  optional?: boolean;
  className?: string;
  children: (control: Control) => ReactNode;
}) {
  const text = Array.isArray(error) ? error[0] : error;
  const helpId = `${id}-help`;
  const errorId = `${id}-error`;
  const describedBy = [text && errorId, help && helpId].filter(Boolean).join(" ") || undefined;
  const invalid = text ? true : undefined;
  return (
    <div className={`flex min-w-0 flex-col gap-1.5 ${className}`}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": invalid, autoFocus: invalid })}
      {text && <FieldError id={errorId}>{text}</FieldError>}
      {help && (
        <p id={helpId} className="text-sm text-muted">
          {help}
        </p>
      )}
    </div>
  );
}

function FieldError({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} className="flex items-start gap-1.5 text-sm text-bad">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  );
}

/** 16 px on phones: below that, iOS zooms the page when a control takes focus. */
export const CONTROL =
  "w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-[16px] text-text transition-colors placeholder:text-muted aria-invalid:border-bad disabled:opacity-50 sm:text-sm";

/**
 * Props of an input for an email address. Its type isn't email: Chromium would send another domain for one with "ß" or "ς"
 * (findings/email-field-other-domain.sh), and without scripts browsers would refuse an imported address with a letter
 * outside ASCII before the @.
 */
export const EMAIL_INPUT = {
  type: "text",
  inputMode: "email",
  autoCapitalize: "none",
  autoCorrect: "off",
  spellCheck: false,
} as const;

export const Input = forwardRef<HTMLInputElement, ComponentPropsWithoutRef<"input">>(function Input(
  { className = "", ...rest },
  ref,
) {
  return <input {...rest} ref={ref} className={`${CONTROL} h-11 sm:h-10 ${className}`} />;
});
