import { type ReactNode, useEffect, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import type { DialogProps, DialogWindow } from "./dialog-window.tsx";

/** A dialog whose script is loaded when it first opens: most pages are left without opening one. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange } = props;
  const [Window, setWindow] = useState<typeof DialogWindow | null>(null);
  const isMissing = open && Window === null;

  useEffect(() => {
    if (!isMissing) return;
    let isOver = false;
    import("./dialog-window.tsx").then(
      (loaded) => !isOver && setWindow(() => loaded.DialogWindow),
      () => {
        if (isOver) return;
        toast.error("We couldn't load this dialog. Check your connection and try again.");
        onOpenChange(false);
      },
    );
    return () => {
      isOver = true;
    };
  }, [isMissing, onOpenChange]);

  return Window && <Window {...props} />;
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{children}</div>;
}
