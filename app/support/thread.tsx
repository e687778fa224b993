import { MessageBubble } from "./bubble.tsx";
import { lastSeq } from "./conversation.ts";
import type { RoomClient, RoomState } from "./room-client.ts";
import { ThreadFrame } from "./thread-frame.tsx";

export function Thread({ room, state }: { room: RoomClient; state: RoomState }) {
  return (
    <ThreadFrame room={room} pending={state.pending} lastSeq={lastSeq(state)}>
      {state.messages.map((message) => (
        <MessageBubble key={message.seq} message={message} state={state} me="user" />
      ))}
    </ThreadFrame>
  );
}
