import type { ReactNode } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog, DialogActions } from "#app/components/ui/dialog.tsx";

export type SheetProps = { open: boolean; onOpenChange: (open: boolean) => void };

/** A dialog with information or settings that take effect at once. */
export function Sheet({
  open,
  onOpenChange,
  title,
  description,
  children,
}: SheetProps & { title: string; description?: string; children: ReactNode }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description}>
      {children}
      <div className="mt-5">
        <DialogActions>
          <Button variant="secondary" onClick={() => onOpenChange(false)}>
            Close
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
