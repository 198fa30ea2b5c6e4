/**
 * The store of a process that hosts every door: the deployed adapters over a local engine of items.
 * Each committed write rings a bell. So a stream gets its reply, a caller the end of a call, and an
 * agent a new tool list, without a poll.
 */
import type { Clock } from '../../core/ports/outside.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import type { Changes } from '../../core/ports/registry.ts'
import type { ReplyStream } from '../../core/ports/sessions.ts'
import type { LedgerNews } from '../../core/ports/usage.ts'
import { type Bells, openBells } from '../../core/session/bells.ts'
import { tailPartition } from '../../core/session/partition-tail.ts'
import { type DynamoStore, makeStore } from './client/document-store.ts'
import type { StoreRequests } from './client/store-requests.ts'
import { openItemStore } from './item-store/open-item-store.ts'
import type { WrittenItem } from './item-store/written.ts'
import { makePartitionReads } from './sessions/replies.ts'
import { dynamoStorePorts } from './store-ports.ts'
import {
  BROADCAST_PK,
  GATEWAY_TABLE,
  LEDGER_PK,
  PROFILE_PK,
  SESSION_PK,
  SESSIONS_TABLE,
  TASK_PK,
} from './table.ts'

export type LocalStoreOptions = {
  /** Undefined keeps everything in memory. */
  readonly file?: string | undefined
  /** How long calls are kept; default: `LEDGER_HOT_MS_DEFAULT`. */
  readonly hotMs?: number | undefined
  readonly clock: Clock
  /** Receives errors that a stream survives and retries later. */
  readonly onTrouble?: ((cause: unknown) => void) | undefined
}

export type LocalStore = {
  readonly ports: StorePorts
  readonly store: DynamoStore
  /** The port through which the adapters send their requests. */
  readonly requests: StoreRequests
  readonly ledgerNews: LedgerNews
  /** Resolves when all writes are on the disk. */
  close(): Promise<void>
}

const TABLES = { gateway: GATEWAY_TABLE.name, sessions: SESSIONS_TABLE.name }

/** Throws `Fault('store_unavailable')` that names file and remedy if the file cannot be used. */
export function openLocalStore({ clock, file, hotMs, onTrouble }: LocalStoreOptions): LocalStore {
  const bells = openBells()
  const items = openItemStore({ file, tables: TABLES, clock, onWritten: (one) => ring(bells, one) })
  const store = makeStore(items.requests, {
    tables: TABLES,
    clock,
    ...(onTrouble === undefined ? {} : { onTrouble }),
  })
  const changes: Changes = { listen: bells.hear }
  return {
    ports: { ...dynamoStorePorts(store, { hotMs, tail: tailWithBells(store, bells) }), changes },
    store,
    requests: items.requests,
    ledgerNews: items.news,
    close: items.close,
  }
}

/**
 * Rings the bells whose names listeners wait for: a session's hash, a task, a call, or all tool
 * lists.
 */
function ring(bells: Bells, { key, old, stored, table }: WrittenItem): void {
  const { pk, sk } = key
  if (table === 'sessions') {
    if (pk.startsWith(SESSION_PK)) bells.ring(pk.slice(SESSION_PK.length))
    // The key of a task is its topic, task:{hash}.
    else if (pk.startsWith(TASK_PK)) bells.ring(pk)
  } else if (pk.startsWith(LEDGER_PK)) bells.ring(`call:${sk}`)
  // This prefix also matches the copies, since a listener may read one of them.
  else if (pk.startsWith(BROADCAST_PK)) bells.ring(TOOL_LISTS)
  else if (pk.startsWith(PROFILE_PK) && isListChanged(old, stored)) bells.ring(TOOL_LISTS)
}

const TOOL_LISTS = 'tool-lists'

/** An update that does not change an attribute keeps the same object as its value. */
function isListChanged(old: WrittenItem['old'], now: WrittenItem['stored']): boolean {
  return ['skillsChangedAtMs', 'groups'].some((name) => old?.item[name] !== now?.item[name])
}

/**
 * Pause between two polls when no bell rings. Such a poll finds only that the session has expired.
 * A poll while requests are pending may not read the session's record, so the end of a session is
 * noticed after at most this time.
 */
const QUIET_MS = 2_000

/**
 * A tail that a bell wakes:
 *   reply put ─▶ committed ─▶ bell rung ─▶ the tail's sleep ends ─▶ its poll finds the reply
 * A ring between a poll and the next sleep ends that sleep at once, so no reply is missed.
 */
function tailWithBells(store: DynamoStore, bells: Bells): ReplyStream['tail'] {
  return (hash, signal) =>
    tailPartition(makePartitionReads(store, hash), store.clock, signal, {
      onTrouble: (cause) => store.onTrouble(cause),
      openBell: () => {
        const { sleep, stop } = bells.listen(hash)
        return {
          stop,
          pause: (ms, cut, trouble) =>
            sleep(store.clock, trouble ? ms : Math.max(ms, QUIET_MS), cut),
        }
      },
    })
}
