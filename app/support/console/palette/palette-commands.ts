/** Something the command palette can do or open. `keys`: the shortcut that does the same. */
export type Command = {
  id: string;
  group: "Actions" | "Pages" | "Conversations" | "Customers" | "Orders";
  label: string;
  /** Second line, or more words to find it by. */
  detail?: string;
  keys?: string;
  /** Shown only once something is typed, so that the palette opens with a short list. */
  isExtra?: boolean;
  run: () => void;
};

/** Matches of one group that are shown. */
const GROUP_MAX = 8;

/** Returns the commands whose label or detail has every word that was typed, those where a label starts with it first. */
export function matchCommands(commands: Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ label, detail = "", isExtra = false }) => {
    const text = `${label} ${detail}`.toLowerCase();
    return words.length === 0 ? !isExtra : words.every((word) => text.includes(word));
  });
  const start = words.join(" ");
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(start) ? 0 : 1);
  const groups = new Map<string, Command[]>();
  for (const command of matching) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups.values()].flatMap((group) =>
    group.sort((one, other) => rank(one) - rank(other)).slice(0, GROUP_MAX),
  );
}
