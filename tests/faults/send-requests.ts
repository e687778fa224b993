import type { LocalCopy } from "#tests/product/local-copy.ts";
import type { HostileRequest } from "./hostile-requests.ts";

const MAX_BYTES = 256 * 1024;
const MAX_MS = 2000;
const MAX_RESENT = 200;
const PROGRESS = 5000;
/** Exports, and lists that are as long as what they list. */
const LONG =
  /\.csv|\/export|\/catalog\.json|\/api\/(v2|services)|\/admin\/(services|orders|customers|payments|emails|audit)/;

export type Report = {
  sent: number;
  statuses: Map<number, number>;
  /** Bytes and ms. */
  largest: { bytes: number; path: string };
  slowest: { ms: number; path: string };
  faults: string[];
  /** The roles whose session was still valid at the end. */
  signedIn: string[];
};

type Outcome = { status: number; bytes: number; ms: number; error?: string };

/**
 * Sends `count` requests over `connections` at once. A fault is a 5xx, a response of more than 256 KB or one that takes
 * more than 2 s, except for exports and lists. What was slow or broke off is sent again alone, because a busy machine
 * makes everything slow.
 */
export async function sendRequests(
  copy: LocalCopy,
  next: () => HostileRequest,
  { count, connections }: { count: number; connections: number },
): Promise<Report> {
  const cookies = await signInAll(copy);
  const report: Report = {
    sent: 0,
    statuses: new Map(),
    largest: { bytes: 0, path: "" },
    slowest: { ms: 0, path: "" },
    faults: [],
    signedIn: [],
  };
  const again: HostileRequest[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (report.sent < count) {
        const number = ++report.sent;
        const request = next();
        const kept = request.init.body instanceof ReadableStream ? withoutStream(request) : request;
        const outcome = await send(copy, request, cookies);
        if (number % PROGRESS === 0) console.log(`${number} sent, ${report.faults.length} faults`);
        const known = report.faults.length;
        note(report, request, outcome);
        for (const fault of report.faults.slice(known)) console.log(fault);
        const isSlow = outcome.ms > MAX_MS && !LONG.test(request.path);
        if ((isSlow || outcome.error) && again.length < MAX_RESENT) again.push(kept);
      }
    }),
  );
  for (const request of again) {
    const tries = [];
    for (let attempt = 0; attempt < 3; attempt++) tries.push(await send(copy, request, cookies));
    const best = tries.toSorted((a, b) => Number(!!a.error) - Number(!!b.error) || a.ms - b.ms)[0];
    if (best?.error) report.faults.push(`${best.error}: ${textOf(request)}`);
    else if (best && best.ms > MAX_MS) report.faults.push(`${Math.round(best.ms)} ms: ${textOf(request)}`);
    if (best && best.ms > report.slowest.ms) report.slowest = { ms: best.ms, path: request.path };
  }
  for (const [role, cookie] of cookies) {
    const { status } = await fetch(`${copy.url}/dashboard`, { headers: { Cookie: cookie }, redirect: "manual" });
    if (status === 200) report.signedIn.push(role);
  }
  return report;
}

function note(report: Report, request: HostileRequest, { status, bytes, error }: Outcome): void {
  report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
  if (bytes > report.largest.bytes && !LONG.test(request.path)) report.largest = { bytes, path: request.path };
  if (status >= 500) report.faults.push(`${status}: ${textOf(request)}`);
  if (bytes > MAX_BYTES && !LONG.test(request.path)) report.faults.push(`${bytes} bytes: ${textOf(request)}`);
  if (error?.includes("Invalid")) report.faults.push(`${error}: ${textOf(request)}`);
}

async function send(copy: LocalCopy, { path, role, init }: HostileRequest, cookies: Map<string, string>) {
  const started = performance.now();
  const headers = new Headers(init.headers);
  const cookie = [cookies.get(role), headers.get("Cookie")].filter(Boolean).join("; ");
  if (cookie !== "") headers.set("Cookie", cookie);
  try {
    const response = await fetch(copy.url + path, { ...init, headers });
    const { byteLength } = await response.arrayBuffer();
    return { status: response.status, bytes: byteLength, ms: performance.now() - started };
  } catch (thrown) {
    const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
    return { status: 0, bytes: 0, ms: performance.now() - started, error: String(cause) };
  }
}

/** A stream can be sent once: another attempt sends no body. */
function withoutStream(request: HostileRequest): HostileRequest {
  const { body: _, ...init } = request.init;
  return { ...request, init };
}

async function signInAll(copy: LocalCopy): Promise<Map<string, string>> {
  const cookies = new Map<string, string>();
  for (const role of ["customer", "agent", "admin"] as const) {
    const { email, password } = copy.demo[role];
    const response = await fetch(`${copy.url}/auth/login`, {
      method: "POST",
      body: new URLSearchParams({ email, password }),
      redirect: "manual",
    });
    const pairs = response.headers.getSetCookie().map((header) => header.split(";")[0]);
    if (response.status !== 302) throw new Error(`${role} could not log in: ${response.status}`);
    cookies.set(role, pairs.join("; "));
  }
  return cookies;
}

function textOf({ path, role, init }: HostileRequest): string {
  const content = init.body instanceof Uint8Array ? new TextDecoder().decode(init.body.subarray(0, 300)) : "";
  return `${init.method} ${path.slice(0, 200)} as ${role} ${JSON.stringify(init.headers).slice(0, 200)} ${JSON.stringify(content)}`;
}
