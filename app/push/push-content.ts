/** What a notification shows. `path`: what a tap opens. `tag`: a newer one with the same tag replaces it on the device. */
export type PushContent = { title: string; body: string; path: string; tag: string };

const TITLE_MAX_CHARACTERS = 80;
const BODY_MAX_CHARACTERS = 140;

/** Returns the content with its texts cut to what devices show. */
export function shortened(content: PushContent): PushContent {
  return {
    ...content,
    title: cut(content.title, TITLE_MAX_CHARACTERS),
    body: cut(content.body, BODY_MAX_CHARACTERS),
  };
}

function cut(text: string, max: number): string {
  const characters = [...text.replace(/\s+/g, " ").trim()];
  return characters.length <= max
    ? characters.join("")
    : `${characters
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}
