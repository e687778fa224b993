import X from "lucide-react/icons/x";
import Zap from "lucide-react/icons/zap";
import { Button } from "#app/components/ui/button.tsx";

/** Says what else happens when the reply is sent, before it is. */
export function ReplyEffectsBar({ id, effects, onRemove }: { id: string; effects: string[]; onRemove: () => void }) {
  return (
    <div className="mb-2 flex items-start gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3 text-xs">
      <Zap aria-hidden className="mt-2 size-3.5 shrink-0 text-muted" />
      <p id={id} role="status" className="flex min-w-0 flex-1 flex-wrap gap-x-1 py-1.5">
        <span className="text-muted">Sending also does this:</span>
        {effects.map((effect, at) => (
          <span key={effect} className="line-clamp-2 max-w-full [overflow-wrap:anywhere]">
            {effect}
            {at < effects.length - 1 && " ·"}
          </span>
        ))}
      </p>
      <Button
        variant="quiet"
        aria-label="Send the reply only"
        title="Send the reply only"
        onClick={onRemove}
        className="w-11 shrink-0 px-0 sm:h-7 sm:w-7"
      >
        <X aria-hidden className="size-3.5" />
      </Button>
    </div>
  );
}
