// biome-ignore lint/style/noRestrictedImports: the one place that may import it
import { useActionData, useLocation, useRouteLoaderData } from "@remix-run/react";
import { useState } from "react";

/**
 * Returns what the page's action has answered, until the next navigation or another log-in. Remix's own hook drops the answer
 * once the page reads its data again, as it does after a lost network, and with it a key that is shown only once. An answer
 * that ended its own session stays.
 */
export function useActionResult<Action>() {
  const answer = useActionData<Action>();
  const { key } = useLocation();
  const session = useRouteLoaderData<{ sessionId: string | null }>("root")?.sessionId ?? null;
  const [kept, setKept] = useState({ answer, key, session });
  const isOfAnother = session !== null && session !== kept.session;
  const isNew = isOfAnother || kept.key !== key || (answer !== undefined && answer !== kept.answer);
  if (isNew) setKept({ answer, key, session });
  return isNew ? answer : kept.answer;
}
