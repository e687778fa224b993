import { readManifest, UnusableBackup } from "#app/backup/format/sealed-objects.server.ts";

/** Counting more would say no more. */
const COUNTED_FAULTS = 1000;

/** Returns how many faults of the ledger are known: those that the nightly check found and has not found fixed since. */
export async function countLedgerFaults(main: D1Database): Promise<number> {
  const row = await main
    .prepare("select count(*) as faults from (select 1 from ledger_faults limit ?)")
    .bind(COUNTED_FAULTS)
    .first<{ faults: number }>();
  return row?.faults ?? 0;
}

/** Why a backup is not sound: its ledger had so many known faults, or its manifest can't be read. */
type Unsound = number | UnusableBackup;

/** Returns the newest of these backups whose ledger had no known fault, or null. Tells of each newer one. */
export async function newestSound(
  { bucket, keys }: { bucket: R2Bucket; keys: string },
  ids: string[],
  onUnsound: (id: string, why: Unsound) => void = () => {},
): Promise<string | null> {
  for (const id of ids.toSorted().reverse()) {
    const why = await faultsOf(bucket, keys, id);
    if (why === 0) return id;
    onUnsound(id, why);
  }
  return null;
}

async function faultsOf(bucket: R2Bucket, keys: string, id: string): Promise<Unsound> {
  try {
    return (await readManifest(bucket, keys, id)).ledgerFaults;
  } catch (error) {
    if (error instanceof UnusableBackup) return error;
    throw error;
  }
}
