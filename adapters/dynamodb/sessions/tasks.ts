/**
 * task:{hash}: a call that outlives its answer. The head says how it stands; one write of the head, after the
 * parts of the result, ends it. Opens no seal. Bound by ADR 0110.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '../../../core/errors.ts'
import { type StoredTask, TASK_ENDS, TASK_TTL_MS } from '../../../core/mcp/task.ts'
import type { Tasks } from '../../../core/ports/tasks.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { ExpressionValues } from '../client/expression.ts'
import { bytesAt, type Item, intAt, isExpired, textAt, wordAt } from '../client/item.ts'
import { joinParts, splitParts } from '../client/split-bytes.ts'
import type { Permissions } from '../permission.ts'
import { TASK_PK, taskKey, taskPartKey, taskPartsPrefix } from '../table.ts'

type EndRequest = Parameters<Tasks['end']>[0]

export const TASKS_PERMISSIONS: Permissions<Tasks> = {
  create: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [TASK_PK] }],
  read: [{ table: 'sessions', actions: ['GetItem', 'Query'], keyPrefixes: [TASK_PK] }],
  end: [{ table: 'sessions', actions: ['PutItem', 'UpdateItem'], keyPrefixes: [TASK_PK] }],
}

const STATUSES = ['working', ...TASK_ENDS] as const

export function dynamoTasks(store: DynamoStore): Tasks {
  const table = store.tables.sessions
  return {
    // The hash is of 256 random bits, so only our own write, sent again, finds the task there. A copy that
    // arrives after the end is refused, too. Dying before: no task, and no client knows one. Dying after: the
    // hold's deadline ends it.
    async create(task) {
      const item = { ...taskKey(task.hash), ...task, status: 'working' }
      const more = { updatedAtMs: task.createdAtMs, ttl: ttlOf(task) }
      await store.put(table, { item: { ...item, ...more }, if: 'attribute_not_exists(#pk)' })
    },

    async read(hash) {
      const head = await store.get(table, taskKey(hash), 'consistent')
      if (head === undefined || isExpired(head, store.clock.nowMs())) return undefined
      return { ...taskFrom(head), sealed: await sealedIn(store, head) }
    },

    end: (request) => end(store, request),
  }
}

/**
 * A worker, a cancellation and a reader that finds the worker dead: one head, so one of them is first.
 *
 *   worker: part ── part ── head ✔ completed        its own write again: refused, its writer is there: true
 *   cancel:    └──────────────┴─ refused: false     cancel first: the worker's head is refused: false
 *
 * Each end gives its parts new names, so one that is refused cannot spoil the stored result. Dying before the
 * head: parts without a head, left to TTL, and the task still works. Dying after: it has ended.
 */
async function end(
  store: DynamoStore,
  { hash, nowMs, sealed, status }: EndRequest,
): Promise<boolean> {
  const writer = randomBytes(9).toString('base64url')
  const parts = sealed === undefined ? [] : splitParts('task', sealed)
  const [data, ...rest] = parts
  const ttl = Math.ceil((nowMs + TASK_TTL_MS) / 1_000)
  for (const [index, part] of rest.entries()) {
    const key = taskPartKey(hash, writer, index + 1)
    await store.put(store.tables.sessions, { item: { ...key, data: part, ttl } })
  }
  const values: ExpressionValues = { status, nowMs, writer, parts: parts.length }
  const answer = await store.update(store.tables.sessions, {
    key: taskKey(hash),
    set: `SET #status = :status, #updatedAtMs = :nowMs, #writer = :writer, #parts = :parts${
      data === undefined ? '' : ', #data = :data'
    }`,
    if: '#status = :working',
    values: { ...values, working: 'working', ...(data === undefined ? {} : { data }) },
  })
  return answer.kind === 'written' || answer.old?.['writer'] === writer
}

/** The head was written after the parts, so a read of the parts after it misses none. */
async function sealedIn(store: DynamoStore, head: Item): Promise<Uint8Array | undefined> {
  const parts = head['parts'] === undefined ? 0 : intAt(head, 'parts')
  if (parts === 0) return undefined
  const first = bytesAt(head, 'data')
  if (parts === 1) return first
  const [hash, writer] = [textAt(head, 'hash'), textAt(head, 'writer')]
  const items = await store.query(store.tables.sessions, {
    where: '#pk = :pk AND begins_with(#sk, :part)',
    values: { pk: taskKey(hash).pk, part: taskPartsPrefix(writer) },
  })
  if (items.length !== parts - 1) throw new Fault('internal', `task ${hash}: parts are missing`)
  return joinParts([first, ...items.map((item) => bytesAt(item, 'data'))])
}

function ttlOf({
  createdAtMs,
  ttlMs = TASK_TTL_MS,
}: Pick<StoredTask, 'createdAtMs' | 'ttlMs'>): number {
  return Math.ceil((createdAtMs + ttlMs) / 1_000)
}

function taskFrom(item: Item): Omit<StoredTask, 'sealed'> {
  return {
    hash: textAt(item, 'hash'),
    uid: textAt(item, 'uid'),
    keyHash: textAt(item, 'keyHash'),
    callId: textAt(item, 'callId'),
    createdAtMs: intAt(item, 'createdAtMs'),
    untilMs: intAt(item, 'untilMs'),
    status: wordAt(item, 'status', STATUSES),
    updatedAtMs: intAt(item, 'updatedAtMs'),
    ...(item['job'] === true ? { job: true } : {}),
    ...(item['ttlMs'] === undefined ? {} : { ttlMs: intAt(item, 'ttlMs') }),
  }
}
