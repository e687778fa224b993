import Rows3 from "lucide-react/icons/rows-3";
import Rows4 from "lucide-react/icons/rows-4";
import { useSyncExternalStore } from "react";
import { useBeforePaint } from "#app/components/hydration/use-before-paint.ts";
import { InlineScript } from "#app/components/page/inline-script.tsx";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { Button } from "#app/components/ui/button.tsx";

const STORAGE_KEY = "density";
const CHANGED = "growline:density";
/** Runs before the rows are painted, so that none jumps. */
const SET_DENSITY = `try{if(localStorage.getItem("${STORAGE_KEY}")==="dense")document.documentElement.dataset.density="dense"}catch{}`;

/** Chooses between rows of 40 and 32 px, for every list of this browser. */
export function DensityToggle() {
  const isDense = useSyncExternalStore(onChange, isShownDense, () => false);

  useBeforePaint(() => {
    const isStored = browserStorage.get(STORAGE_KEY) === "dense";
    if (isStored !== isShownDense()) show(isStored);
  }, []);

  function toggle() {
    browserStorage.set(STORAGE_KEY, isDense ? "regular" : "dense");
    show(!isDense);
  }

  const Icon = isDense ? Rows3 : Rows4;
  return (
    <>
      <InlineScript code={SET_DENSITY} />
      <Button
        variant="quiet"
        aria-pressed={isDense}
        aria-label="Dense rows"
        title={isDense ? "Use regular rows" : "Use dense rows"}
        onClick={toggle}
        className="w-9 px-0 max-md:hidden noscript:hidden"
      >
        <Icon aria-hidden className="size-4" />
      </Button>
    </>
  );
}

function onChange(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed);
  return () => window.removeEventListener(CHANGED, changed);
}

function isShownDense(): boolean {
  return document.documentElement.dataset.density === "dense";
}

function show(isDense: boolean): void {
  if (isDense) document.documentElement.dataset.density = "dense";
  else delete document.documentElement.dataset.density;
  window.dispatchEvent(new Event(CHANGED));
}
