import type { Random } from "#tests/faults/seeded-random.ts";
import type { Frame } from "../client/socket-client.ts";
import type { FuzzCase } from "./fuzz-case.ts";
import { HOSTILE_JSON, HOSTILE_NAMES, HOSTILE_TEXTS, JSON_TEXTS, markerOf } from "./hostile-values.ts";
import { RAW_BODIES } from "./request-bodies.ts";
import { generateValue } from "./schema-values.ts";
import type { CaseSource } from "./write-case.ts";

const MAX_FRAMES = 4;

/** Writes a case that opens a socket and sends frames: valid ones changed at one place, and wild ones. */
export function writeSocketCase(number: number, random: Random, source: CaseSource): FuzzCase {
  const { pick, chance, upTo } = random;
  const route = pick(source.surface.sockets);
  const caller = pick(route.startsWith("/admin") ? (["agent", "admin", "customer"] as const) : SIDES);
  const paths = source.pathsOf(route);
  const path = paths.length > 0 ? pick(paths) : route.replace(":id", "user_1");
  const since = chance(0.3) ? `?since=${encodeURIComponent(pick(HOSTILE_TEXTS).slice(0, 100).toWellFormed())}` : "";
  const headers: [string, string][] = chance(0.95) ? [["Origin", source.origin]] : [["Origin", "https://evil.example"]];
  const request = { method: "GET", target: path + since, headers, body: Buffer.alloc(0), framing: "none" } as const;
  return { number, route, caller, request, frames: Array.from({ length: 1 + upTo(MAX_FRAMES) }, writeFrame) };

  function writeFrame(): Frame {
    if (chance(0.1)) return pick(RAW_BODIES).subarray(0, 70_000);
    if (chance(0.1)) return pick(JSON_TEXTS);
    if (chance(0.05)) return pick(HOSTILE_TEXTS);
    const value = generateValue(pick(source.surface.frames), random, source.known);
    const entries = Object.entries(Object(value));
    const at = upTo(entries.length);
    const [name = "type", field] = entries[at] ?? [];
    const kind = upTo(6);
    if (kind === 0) entries.splice(at, 1);
    else if (kind === 1) entries.push([pick(HOSTILE_NAMES), 1]);
    else if (kind === 2) entries[at] = [name, pick(HOSTILE_JSON)];
    else if (kind < 5) entries[at] = [name, chance(0.2) ? markerOf(number) : pick(HOSTILE_TEXTS)];
    else entries[at] = [name, field];
    return JSON.stringify(Object.fromEntries(entries));
  }
}

const SIDES = ["visitor", "customer", "customer", "agent", "agent"] as const;
