import type { ComponentProps } from "react";
import { CONTROL } from "./field.tsx";

export function Textarea({ className = "", rows = 5, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} rows={rows} className={`${CONTROL} resize-y py-2.5 leading-normal ${className}`} />;
}
