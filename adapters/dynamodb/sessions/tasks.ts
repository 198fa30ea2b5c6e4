/**
 * task:{hash}: a call that outlives its answer. The head says how it stands; one write of the head,
 * after the parts of the result, ends it. Opens no seal. Bound by ADR 0110.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '../../../core/errors.ts'
import { type StoredTask, TASK_ENDS, TASK_TTL_MS, type TaskWrite } from '../../../core/mcp/task.ts'
import type { TaskEnder, Tasks } from '../../../core/ports/tasks.ts'
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
  renew: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [TASK_PK] }],
  ask: [{ table: 'sessions', actions: ['PutItem', 'UpdateItem'], keyPrefixes: [TASK_PK] }],
  answer: [{ table: 'sessions', actions: ['PutItem', 'UpdateItem'], keyPrefixes: [TASK_PK] }],
  claim: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [TASK_PK] }],
  end: [{ table: 'sessions', actions: ['PutItem', 'UpdateItem'], keyPrefixes: [TASK_PK] }],
}

const STATUSES = ['working', 'input_required', ...TASK_ENDS] as const

/** A task that has not ended. */
const IF_OPEN = '(#status = :working OR #status = :asking)'
const OPEN = { working: 'working', asking: 'input_required' }

export function dynamoTasks(store: DynamoStore): Tasks {
  const table = store.tables.sessions
  return {
    // The hash is of 256 random bits, so only our own write, sent again, finds the task there. A
    // copy that arrives after the end is refused, too. Dying before: no task, and no client knows
    // one. Dying after: the hold's deadline ends it.
    async create(task) {
      const item = { ...taskKey(task.hash), ...task, status: 'working' }
      const more = { updatedAtMs: task.createdAtMs, writer: task.worker, ttl: ttlOf(task) }
      await store.put(table, { item: { ...item, ...more }, if: 'attribute_not_exists(#pk)' })
    },

    async read(hash) {
      const head = await store.get(table, taskKey(hash), 'consistent')
      if (head === undefined || isExpired(head, store.clock.nowMs())) return undefined
      return { ...taskFrom(head), sealed: await sealedIn(store, head) }
    },

    renew: (request) => renew(store, request),
    ask: (request) => ask(store, request),
    answer: (request) => answer(store, request),
    claim: (request) => claim(store, request),
    end: (request) => end(store, request),
  }
}

/**
 * A worker, a cancellation and a reader that finds the worker dead: one head, so one of them is
 * first.
 *
 *   worker: part ── part ── head ✔ completed        its own write again: refused, its writer is there: own
 *   cancel:    └──────────────┴─ refused: over      cancel first: the worker's head is refused: cancelled
 *   reader: lease over ── worker renews ── head: refused by the new lease: taken
 *   a worker whose task another one has claimed: refused by the other's name: taken
 *
 * Each end gives its parts new names, so one that is refused cannot spoil the stored result. Dying
 * before the head: parts without a head, left to TTL, and the task still works. Dying after: it has
 * ended.
 */
async function end(
  store: DynamoStore,
  { by, hash, nowMs, sealed, status }: EndRequest,
): Promise<TaskWrite> {
  const writer = randomBytes(9).toString('base64url')
  const { set, values } = await writeSealed(store, { hash, nowMs, sealed, writer })
  const allowed = ifEndedBy(by, nowMs)
  const answer = await store.update(store.tables.sessions, {
    key: taskKey(hash),
    set: `SET #status = :status, #updatedAtMs = :nowMs, ${set}`,
    if: allowed.if,
    values: { status, nowMs, ...values, ...allowed.values },
  })
  if (answer.kind === 'written' || answer.old?.['writer'] === writer) return 'own'
  return toRefused(answer.old)
}

function ifEndedBy(by: TaskEnder, nowMs: number): { if: string; values: ExpressionValues } {
  if (by === 'caller') return { if: IF_OPEN, values: OPEN }
  if (by === 'reader') {
    return { if: `${IF_OPEN} AND #aliveUntilMs < :dueMs`, values: { ...OPEN, dueMs: nowMs } }
  }
  const values = { working: OPEN.working, worker: by.worker }
  return { if: '#status = :working AND #worker = :worker', values }
}

/**
 * A worker vouches for itself. Only forward, so a copy that comes late, behind the next renewal,
 * changes nothing.
 *
 *   renew ✔ ── renew ✔        a copy of the first: refused, and the answer is own
 *   cancel ✔ ── renew: refused: cancelled, and the worker stops
 *   reader ends it as dead ✔ ── renew: refused: over, and the worker's call is free
 */
async function renew(
  store: DynamoStore,
  { aliveUntilMs, hash, worker }: Parameters<Tasks['renew']>[0],
): Promise<TaskWrite> {
  const answer = await store.update(store.tables.sessions, {
    key: taskKey(hash),
    set: 'SET #aliveUntilMs = :aliveUntilMs',
    if: '#status = :working AND #worker = :worker AND #aliveUntilMs < :aliveUntilMs',
    values: { aliveUntilMs, worker, working: 'working' },
  })
  if (answer.kind === 'written') return 'own'
  const refused = toRefused(answer.old)
  return refused === 'taken' && answer.old?.['worker'] === worker ? 'own' : refused
}

/**
 * The worker ends its part; the client and its answers decide what follows.
 *
 *   worker: part ── head asks ✔     its own write again, after an answer: refused, another has the task: taken
 *   cancel:    └─ refused: cancelled         a reader found the worker dead: refused: over
 * Dying before the head: the lease ends, and the task has failed. Dying after: the task asks.
 */
async function ask(
  store: DynamoStore,
  { aliveUntilMs, hash, nowMs, sealed, worker }: Parameters<Tasks['ask']>[0],
): Promise<TaskWrite> {
  const writer = randomBytes(9).toString('base64url')
  const { set, values } = await writeSealed(store, { hash, nowMs, sealed, writer })
  const asked = await store.update(store.tables.sessions, {
    key: taskKey(hash),
    set: `SET #status = :asking, #updatedAtMs = :nowMs, #aliveUntilMs = :untilMs, ${set} REMOVE #worker`,
    if: '#status = :working AND #worker = :worker',
    values: { ...OPEN, nowMs, untilMs: aliveUntilMs, worker, ...values },
  })
  if (asked.kind === 'written' || asked.old?.['writer'] === writer) return 'own'
  return toRefused(asked.old)
}

/**
 * Two updates at once: both name the writer that they read, so the second is refused, and reads
 * again. Dying in between: the questions stand as they were.
 */
async function answer(
  store: DynamoStore,
  { hash, nowMs, over, sealed }: Parameters<Tasks['answer']>[0],
): Promise<boolean> {
  const writer = randomBytes(9).toString('base64url')
  const { set, values } = await writeSealed(store, { hash, nowMs, sealed, writer })
  const answered = await store.update(store.tables.sessions, {
    key: taskKey(hash),
    set: `SET ${set}`,
    if: '#status = :asking AND #writer = :over AND #aliveUntilMs >= :nowMs',
    values: { asking: OPEN.asking, nowMs, over, ...values },
  })
  return answered.kind === 'written' || answered.old?.['writer'] === writer
}

/**
 * The last answer, sent twice: both name the writer that they read.
 *
 *   A: claim ✔ works ── runs the call         B: refused by A's name: it runs nothing
 *   a reader, past the hour: end ✔            A: refused; and a claim that was first moves the time on
 * Dying after: the lease ends, and the task has failed.
 */
async function claim(
  store: DynamoStore,
  { aliveUntilMs, hash, nowMs, over, worker }: Parameters<Tasks['claim']>[0],
): Promise<boolean> {
  const claimed = await store.update(store.tables.sessions, {
    key: taskKey(hash),
    set: `SET #status = :working, #updatedAtMs = :nowMs, #aliveUntilMs = :untilMs, #worker = :worker, #writer = :worker, #parts = :none REMOVE #data`,
    if: `${IF_OPEN} AND #writer = :over AND #aliveUntilMs >= :nowMs`,
    values: { ...OPEN, nowMs, over, none: 0, untilMs: aliveUntilMs, worker },
  })
  return claimed.kind === 'written' || claimed.old?.['writer'] === worker
}

function toRefused(head: Item | undefined): Exclude<TaskWrite, 'own'> {
  const status = head === undefined ? undefined : wordAt(head, 'status', STATUSES)
  if (status === 'working' || status === 'input_required') return 'taken'
  return status === 'cancelled' ? status : 'over'
}

/** Writes all parts but the first. Returns what the head has of them. */
async function writeSealed(
  store: DynamoStore,
  of: {
    readonly hash: string
    readonly nowMs: number
    readonly sealed: Uint8Array | undefined
    readonly writer: string
  },
): Promise<{ readonly set: string; readonly values: ExpressionValues }> {
  const { hash, nowMs, sealed, writer } = of
  const set = '#writer = :writer, #parts = :parts'
  if (sealed === undefined) return { set, values: { writer, parts: 0 } }
  const [data, ...rest] = splitParts('task', sealed)
  const ttl = Math.ceil((nowMs + PARTS_KEPT_MS) / 1_000)
  for (const [index, part] of rest.entries()) {
    const key = taskPartKey(hash, writer, index + 1)
    await store.put(store.tables.sessions, { item: { ...key, data: part, ttl } })
  }
  return { set: `${set}, #data = :data`, values: { writer, parts: rest.length + 1, data } }
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

/**
 * A job may end at once, and its head is kept for a day after its deadline, which is a day away at
 * most.
 */
const PARTS_KEPT_MS = 2 * TASK_TTL_MS + 7_200_000

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
    aliveUntilMs: intAt(item, 'aliveUntilMs'),
    status: wordAt(item, 'status', STATUSES),
    writer: textAt(item, 'writer'),
    updatedAtMs: intAt(item, 'updatedAtMs'),
    ...(item['job'] === true ? { job: true } : {}),
    ...(item['ttlMs'] === undefined ? {} : { ttlMs: intAt(item, 'ttlMs') }),
  }
}
