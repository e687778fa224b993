import type { ProviderResponse } from "./provider-responses.ts";

const TIMEOUT_MS = 20_000;
const MAX_RESPONSE_CHARACTERS = 200_000;

/** Posts one action of the panel convention. Returns errors as `no_response` and never throws. */
export async function postToProvider(
  provider: { apiUrl: string; key: string },
  params: Record<string, string>,
  signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<ProviderResponse> {
  let httpStatus: number | null = null;
  let raw = "";
  try {
    const response = await fetch(provider.apiUrl, {
      method: "POST",
      body: new URLSearchParams({ key: provider.key, ...params }),
      // A redirect may turn the POST into a GET, or send our key to another host.
      redirect: "manual",
      signal,
    });
    httpStatus = response.status;
    raw = (await response.text()).slice(0, MAX_RESPONSE_CHARACTERS);
    if (httpStatus >= 500 || (httpStatus >= 300 && httpStatus < 400)) {
      return { kind: "no_response", why: `HTTP ${httpStatus}`, raw, httpStatus };
    }
    return { kind: "json", body: JSON.parse(raw), raw, httpStatus };
  } catch (error) {
    const why = error instanceof SyntaxError ? "the response is not JSON" : String(error);
    return { kind: "no_response", why, raw, httpStatus };
  }
}
