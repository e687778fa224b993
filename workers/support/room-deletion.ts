import { connect, connectSupport } from "#app/db/db.server.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { fileKey } from "#app/support/room/room-files.server.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import { deleteConversation, storeAuditEntries } from "#app/support/room/stored-conversations.server.ts";

/** Keys per R2 delete call. */
const R2_DELETE_MAX_KEYS = 1000;

/**
 * Completes the deletion that the store has recorded. The room's own storage goes last, because only it knows what is
 * left to delete elsewhere. Repeatable.
 */
export async function deleteRoom(ctx: DurableObjectState, env: Env, store: RoomStore, sessionId: string) {
  // The files of a conversation that was handed over belong to the room that took it over.
  const keys = store.handedOverTo === null ? store.messages.fileIds().map(fileKey) : [];
  while (keys.length > 0) await env.UPLOADS.delete(keys.splice(0, R2_DELETE_MAX_KEYS));
  // Before the account's entries are stripped of the person. The new room has those of a conversation handed over.
  if (store.handedOverTo === null) {
    await storeAuditEntries(connect(env.DB), sessionId, store.triage.audit.pending());
  }
  await deleteConversation(connectSupport(env.DB_SUPPORT), sessionId);
  await env.SUPPORT_DESK.getByName(DESK_NAME).hint(sessionId);
  await ctx.blockConcurrencyWhile(async () => {
    await ctx.storage.deleteAlarm();
    await ctx.storage.deleteAll();
    store.create();
  });
}
