import { type ComponentPropsWithoutRef, forwardRef } from "react";
import { CONTROL } from "./field.tsx";

export const Textarea = forwardRef<HTMLTextAreaElement, ComponentPropsWithoutRef<"textarea">>(function Textarea(
  { className = "", rows = 5, ...rest },
  ref,
) {
  return (
    <textarea {...rest} ref={ref} rows={rows} className={`${CONTROL} resize-y py-2.5 leading-normal ${className}`} />
  );
});
