import ts from "typescript";

/** No test reads comments. */
const OPTIONS: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

const parsed = new Map<string, ts.SourceFile>();

/** Parses a source, without types. Files of tests on Node share a process, and several of them look at the whole tree. */
export function parseFile(path: string, source: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === source) return known;
  const file = ts.createSourceFile(path, source, OPTIONS, true);
  parsed.set(path, file);
  return file;
}
