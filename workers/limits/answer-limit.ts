import type { ActionFunction, ServerBuild } from "@remix-run/cloudflare";

/** A checked mass order repeats its text, at most 4 MB, and what its cells say. In UTF-16 units, names of properties included. */
export const MAX_ANSWER_CHARACTERS = 8_500_000;
/** Objects, lists, texts and numbers. A checked mass order of 5,000 lines has fewer. */
export const MAX_ANSWER_VALUES = 250_000;
/** The encoder calls itself for each level. */
export const MAX_ANSWER_DEPTH = 32;

const TOO_LONG = "What you sent is too long to be shown again. Shorten it, or split it, and send it again.";

/**
 * Returns the build with actions whose answers have a limit, because what repeats a large form costs the server several
 * times its size (CVE-2026-34077, which Remix 2 has no fix for). An answer above it loses the typed values, which the page
 * still has if it runs scripts. If it is still above, it is a 413.
 */
export function withAnswerLimit(build: ServerBuild): ServerBuild {
  const routes = Object.fromEntries(
    Object.entries(build.routes).map(([id, route]) => {
      const { action } = route.module;
      return [id, action ? { ...route, module: { ...route.module, action: limited(action) } } : route];
    }),
  );
  return { ...build, routes };
}

function limited(action: ActionFunction): ActionFunction {
  return async (args) => {
    let answer: unknown;
    try {
      answer = await action(args);
    } catch (thrown) {
      throw limitedAnswer(thrown);
    }
    return limitedAnswer(answer);
  };
}

/** Returns what an action answers, within the limit. Throws a 413 if it can't be. A response is no data to encode. */
export function limitedAnswer(answer: unknown): unknown {
  if (answer instanceof Response || answer instanceof Error || isWithinLimit(answer)) return answer;
  const shorter = withoutValues(answer, 0);
  if (isWithinLimit(shorter)) return shorter;
  throw new Response(TOO_LONG, { status: 413 });
}

function isWithinLimit(answer: unknown): boolean {
  let characters = 0;
  let values = 0;
  const open: [value: unknown, depth: number][] = [[answer, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (++values > MAX_ANSWER_VALUES || depth > MAX_ANSWER_DEPTH) return false;
    if (typeof value === "string") characters += value.length;
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) characters += name.length;
        open.push([inner, depth + 1]);
      }
    }
    if (characters > MAX_ANSWER_CHARACTERS) return false;
  }
  return true;
}

/** The results of forms are this deep at most. */
const RESULT_DEPTH = 3;

/** Returns a copy in which no form's result has typed values. */
function withoutValues(answer: unknown, depth: number): unknown {
  if (depth > RESULT_DEPTH || typeof answer !== "object" || answer === null) return answer;
  if (isWrapped(answer))
    return Object.assign(Object.create(Object.getPrototypeOf(answer)), answer, {
      data: withoutValues(answer.data, depth),
    });
  if (Object.getPrototypeOf(answer) !== Object.prototype) return answer;
  const kept = Object.entries(answer).map(([name, value]) => [
    name,
    name === "values" ? {} : withoutValues(value, depth + 1),
  ]);
  return Object.fromEntries(kept);
}

/** Tells what `data(…)` returns, which Remix knows by its type. */
function isWrapped(answer: object): answer is { data: unknown } {
  return "type" in answer && answer.type === "DataWithResponseInit" && "data" in answer;
}
