/** Thousands of conversations with messages, for tests of large tables. */

const BASE_MS = 1_700_000_000_000;
const CHUNK = 5000;

/**
 * Inserts conversations: one tenth open, one tenth of those unassigned, the rest assigned to `agents`. Every message
 * has unique words.
 */
export async function fillInbox(
  database: D1Database,
  {
    from: first = 0,
    conversations,
    messagesEach,
    agents,
    baseMs = BASE_MS,
    everyMs = 1,
  }: {
    from?: number;
    conversations: number;
    messagesEach: number;
    agents: string[];
    /** Creation time of the first conversation, in ms. */
    baseMs?: number;
    /** Time between two conversations in ms, which may be a fraction. Stored times are whole. */
    everyMs?: number;
  },
): Promise<void> {
  const people = JSON.stringify(agents);
  for (let from = first; from < first + conversations; from += CHUNK) {
    const to = Math.min(from + CHUNK, first + conversations) - 1;
    await database
      .prepare(
        `with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2)
         insert into support_sessions (session_id, user_name, user_email, status, last_seq, agent_read_seq, last_message,
           created_at, updated_at, assignee_id, assignee_name)
         select 'anon_' || i || '_' || printf('%032x', i), 'Visitor ' || i, 'visitor' || i || '@test.example',
           iif(i % 10 = 0, 'open', 'closed'), cast(?3 as integer), iif(i % 20 = 0, 0, cast(?3 as integer)), 'message of ' || i, cast(?4 + i * ?6 as integer), cast(?4 + i * ?6 as integer),
           iif(i % 100 = 0, null, json_extract(?5, '$[' || cast(i % json_array_length(?5) as integer) || ']')), 'Agent'
         from n`,
      )
      .bind(from, to, messagesEach, baseMs, people, everyMs)
      .run();
    await database
      .prepare(
        `with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2),
           s(seq) as (select 1 union all select seq + 1 from s where seq < ?3)
         insert into support_messages (session_id, seq, sender_type, sender_name, message, created_at)
         select 'anon_' || i || '_' || printf('%032x', i), seq, 'user', 'Visitor',
           'where is order number' || i || ' please' || seq || ' café', cast(?4 + i * ?5 as integer)
         from n, s`,
      )
      .bind(from, to, messagesEach, baseMs, everyMs)
      .run();
  }
}
