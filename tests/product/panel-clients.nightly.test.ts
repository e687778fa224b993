import { missingLanguages } from "#tools/run/debian-packages.ts";
import { servePanelClient } from "./panel-client.ts";
import { test } from "./shared-copy.ts";

const CLIENTS: Record<string, string[]> = {
  PHP: ["php", "panel.php"],
  Python: ["python3", "panel.py"],
  Go: ["go", "run", "panel.go"],
};

/** Debian's packages of a program, where npm run test:all installs it. */
const PACKAGES: Record<string, string[]> = { php: ["php-cli", "php-curl"], go: ["golang-go"], python3: ["python3"] };

for (const [language, command] of Object.entries(CLIENTS)) {
  test(`serves a ${language} panel client that knows only the URL and the key`, async ({ copy, skip }) => {
    const [missing] = missingLanguages().filter((name) => (PACKAGES[command[0] ?? ""] ?? []).includes(name));
    if (missing) return skip(`${missing} is not installed`);
    await servePanelClient(copy, command);
  });
}
