/** The zod and valibot schemas that the product's modules create while they load, with the module of each. */
export type RecordedSchema = { file: string; schema: unknown };

export const recordedSchemas: RecordedSchema[] = [];

/** Returns `create`, which from then on also records what it returns and which module of the product called it. */
export function recording<Create extends (...given: never[]) => unknown>(create: Create): Create {
  return ((...given: never[]) => {
    const schema = create(...given);
    const file = /\/(app\/[^:)]+)/.exec(new Error().stack ?? "")?.[1];
    if (file) recordedSchemas.push({ file, schema });
    return schema;
  }) as Create;
}
