/**
 * Posts a file. Uses XMLHttpRequest, because fetch doesn't report how much was sent. `onProgress` gets whole percents.
 * Resolves with status 0 if there was no response.
 */
export function uploadFile(
  path: string,
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (percent: number) => void },
): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    let reported = 0;
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      const percent = total > 0 ? Math.floor((loaded / total) * 100) : 0;
      if (percent > reported) onProgress(percent);
      reported = Math.max(reported, percent);
    });
    request.addEventListener("loadend", () => resolve({ status: request.status, body: request.responseText }));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", path);
    request.send(file);
  });
}
