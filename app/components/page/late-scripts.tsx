import { Scripts } from "@remix-run/react";
import { Children, cloneElement, Fragment, isValidElement, type ReactElement, type ReactNode } from "react";
import { InlineScript } from "./inline-script.tsx";
import { useNonce } from "./nonce.tsx";

/** No type that a browser runs. */
const LATER = "text/x-later";
/** A page that is never painted gets its scripts after so long. */
const PAINTED_WITHIN_MS = 2000;

/**
 * Remix's scripts, fetched once the page has been painted: until then they would take the line from what it is drawn
 * with. The page can be read without them, and what is done to it meanwhile is kept (`early-input.ts`). At once in a tab
 * in the background, which is not painted, and where the expression `unless` is true in the browser.
 */
export function LateScripts({ unless }: { unless: string }) {
  // Called, not rendered: its elements are what is changed here.
  const elements = flat(Scripts({ nonce: useNonce() }));
  const scripts = elements.filter(({ props }) => props.rel !== "modulepreload");
  if (scripts.length === 0) return null;
  const preloads = elements.filter((element) => !scripts.includes(element)).map(({ props }) => props.href ?? "");
  return (
    <>
      {scripts.map((script) =>
        script.props.type === "module" ? cloneElement(script, { type: LATER, async: undefined }) : script,
      )}
      <InlineScript code={import.meta.env.SSR ? startWhenPainted(new Set(preloads), unless) : ""} />
    </>
  );
}

/** Runs at once, behind the script that has to wait. Its preloads begin in a task of their own, for they take a while. */
function startWhenPainted(preloads: Set<string>, unless: string): string {
  return `{const{nonce}=document.currentScript;let begun=false;const begin=()=>{if(begun)return;begun=true;\
const{text}=document.querySelector('script[type="${LATER}"]');\
document.body.append(Object.assign(document.createElement("script"),{type:"module",nonce,text}));\
setTimeout(()=>{for(const href of ${JSON.stringify([...preloads])})document.head.append(Object.assign(document.createElement("link"),{rel:"modulepreload",href}))})};\
if(${unless}||document.hidden||!window.PerformanceObserver?.supportedEntryTypes?.includes("paint"))begin();\
else{new PerformanceObserver(seen=>seen.getEntriesByName("first-contentful-paint")[0]&&begin()).observe({type:"paint",buffered:true});\
document.addEventListener("visibilitychange",begin,{once:true});setTimeout(begin,${PAINTED_WITHIN_MS})}}`;
}

type Element = ReactElement<{ rel?: string; href?: string; type?: string; async?: boolean; children?: ReactNode }>;

function flat(node: ReactNode): Element[] {
  return Children.toArray(node).flatMap((child) => {
    if (!isValidElement<Element["props"]>(child)) return [];
    return child.type === Fragment ? flat(child.props.children) : [child];
  });
}
