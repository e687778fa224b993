import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { sizeText } from "./upload-limits.ts";
import { cancelTransfer, clearTransfer, type Transfer } from "./upload-queue.ts";

const STATES: Record<Transfer["state"], { tone: Tone; text: string }> = {
  sending: { tone: "active", text: "Uploading" },
  waiting: { tone: "warn", text: "Waiting for connection" },
  done: { tone: "good", text: "Uploaded" },
  refused: { tone: "bad", text: "Rejected" },
  canceled: { tone: "neutral", text: "Stopped" },
};

/** Lists the uploads of this tab with their progress. */
export function TransferList({ transfers }: { transfers: readonly Transfer[] }) {
  if (transfers.length === 0) return null;
  return (
    <ul
      aria-label="Uploading"
      className="mt-4 divide-y divide-line overflow-clip rounded-md border border-line bg-raised"
    >
      {transfers.map((one) => (
        <Row key={one.key} transfer={one} />
      ))}
    </ul>
  );
}

function Row({ transfer }: { transfer: Transfer }) {
  const { key, name, size, sent, state, text } = transfer;
  const running = state === "sending" || state === "waiting";
  const percent = size === 0 ? 0 : Math.floor((Math.min(sent, size) / size) * 100);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-sm sm:px-5">
      <span className="min-w-0 flex-1 basis-48 truncate font-medium" title={name}>
        {name}
      </span>
      <span role="status">
        <Badge tone={STATES[state].tone}>{state === "waiting" && sent === 0 ? "Waiting" : STATES[state].text}</Badge>
      </span>
      <span className="tabular w-40 text-right text-muted">
        {running ? `${sizeText(sent)} of ${sizeText(size)}` : sizeText(size)}
      </span>
      {running ? (
        <Button variant="quiet" onClick={() => cancelTransfer(key)} aria-label={`Stop ${name}`}>
          Stop
        </Button>
      ) : (
        <Button variant="quiet" onClick={() => clearTransfer(key)} aria-label={`Clear ${name} from this list`}>
          Clear
        </Button>
      )}
      {running && (
        <progress
          value={percent}
          max={100}
          aria-label={`Progress of ${name}`}
          className="h-1 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        />
      )}
      {text && <p className="w-full text-bad">{text}</p>}
    </li>
  );
}
