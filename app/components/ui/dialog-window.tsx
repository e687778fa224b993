import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** The buttons come last. */
  children: ReactNode;
};

export function DialogWindow({ open, onOpenChange, title, description, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-sunken/80 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup className="fixed top-1/2 left-1/2 z-50 w-[calc(100%-32px)] max-w-110 -translate-x-1/2 -translate-y-1/2 rounded-md border border-line bg-raised p-5 shadow-float transition-[opacity,scale] data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0">
          <Base.Title className="text-base">{title}</Base.Title>
          {description && <Base.Description className="mt-1.5 text-sm text-muted">{description}</Base.Description>}
          <div className="mt-5">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
