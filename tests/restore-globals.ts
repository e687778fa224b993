import { afterAll, vi } from "vitest";

// Files on Node share a process: what one replaces, the next one finds as it was.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
