import type { RawRequest } from "../client/raw-client.ts";
import type { FuzzCase } from "./fuzz-case.ts";

const MAX_TRIES = 60;

/** Returns the smallest case found for which `fails` still holds. */
export async function shrinkCase(
  fuzzCase: FuzzCase,
  fails: (candidate: FuzzCase) => Promise<boolean>,
): Promise<FuzzCase> {
  let smallest = fuzzCase;
  let tries = 0;
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const candidate of smallerThan(smallest)) {
      if (tries++ === MAX_TRIES) return smallest;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

/** A socket case is its frames: the request only opens the socket. */
function* smallerThan(fuzzCase: FuzzCase): Generator<FuzzCase> {
  const { frames, request } = fuzzCase;
  if (frames) for (const at of frames.keys()) yield { ...fuzzCase, frames: frames.toSpliced(at, 1) };
  else for (const smaller of smallerRequests(request)) yield { ...fuzzCase, request: smaller };
}

function* smallerRequests(request: RawRequest): Generator<RawRequest> {
  const { headers, target, body } = request;
  for (let at = 0; at < headers.length; at++) yield { ...request, headers: headers.toSpliced(at, 1) };
  if (target.includes("?")) yield { ...request, target: target.slice(0, target.indexOf("?")) };
  if (body.length > 0) yield { ...request, body: Buffer.alloc(0) };
  for (const [start, end] of partsOf(body)) {
    yield { ...request, body: Buffer.concat([body.subarray(0, start), body.subarray(end)]) };
  }
}

/** Returns the ranges of a body's fields if it is a form, otherwise its halves and quarters. */
function partsOf(body: Buffer): [number, number][] {
  const fields = body.toString("latin1").split("&");
  if (fields.length > 1 && fields.length < 50) {
    let start = 0;
    return fields.map((field): [number, number] => {
      const range: [number, number] = [start, Math.min(body.length, start + field.length + 1)];
      start = range[1];
      return range;
    });
  }
  const pieces = body.length < 4 ? 1 : 4;
  const size = Math.ceil(body.length / pieces);
  return Array.from({ length: body.length === 0 ? 0 : pieces }, (_, at) => [at * size, (at + 1) * size]);
}
