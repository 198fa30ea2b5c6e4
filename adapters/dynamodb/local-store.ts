/**
 * The store of a process that has every door: the deployed adapters over items of its own. Each committed write rings
 * a bell, so a stream hears of its reply, a call of its end, and agents of a new tool list without a poll.
 */
import type { Clock } from '../../core/ports/outside.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import type { Changes } from '../../core/ports/registry.ts'
import type { ReplyStream } from '../../core/ports/sessions.ts'
import type { LedgerNews } from '../../core/ports/usage.ts'
import { type Bells, openBells } from '../../core/session/bells.ts'
import { tailPartition } from '../../core/session/partition-tail.ts'
import { type DynamoStore, storeOver } from './client/document-store.ts'
import type { StoreRequests } from './client/store-requests.ts'
import { openItemStore } from './item-store/open-item-store.ts'
import type { Written } from './item-store/written.ts'
import { partitionReads } from './sessions/replies.ts'
import { dynamoStorePorts } from './store-ports.ts'
import {
  BROADCAST_PK,
  GATEWAY_TABLE,
  LEDGER_PK,
  PROFILE_PK,
  SESSION_PK,
  SESSIONS_TABLE,
} from './table.ts'

export type LocalStoreOptions = {
  /** Undefined: nothing on disk. */
  readonly file?: string | undefined
  /** For how long calls are kept; the default of the adapters otherwise. */
  readonly hotMs?: number | undefined
  readonly clock: Clock
  /** Told of trouble that a stream waits out. */
  readonly onTrouble?: ((cause: unknown) => void) | undefined
}

export type LocalStore = {
  readonly ports: StorePorts
  readonly store: DynamoStore
  /** What the adapters send. */
  readonly requests: StoreRequests
  readonly ledgerNews: LedgerNews
  /** Ends when all that was written is on the disk. */
  close(): Promise<void>
}

const TABLES = { gateway: GATEWAY_TABLE.name, sessions: SESSIONS_TABLE.name }

/** Throws `Fault('store_unavailable')` with file and remedy when the file cannot be used. */
export function openLocalStore({ clock, file, hotMs, onTrouble }: LocalStoreOptions): LocalStore {
  const bells = openBells()
  const items = openItemStore({ file, tables: TABLES, clock, onWritten: (one) => ring(bells, one) })
  const store = storeOver(items.requests, {
    tables: TABLES,
    clock,
    ...(onTrouble === undefined ? {} : { onTrouble }),
  })
  const changes: Changes = { listen: bells.hear }
  return {
    ports: { ...dynamoStorePorts(store, { hotMs, tail: wokenTail(store, bells) }), changes },
    store,
    requests: items.requests,
    ledgerNews: items.news,
    close: items.close,
  }
}

/** The names that listeners wait for. */
function ring(bells: Bells, { key, old, stored, table }: Written): void {
  const { pk, sk } = key
  if (table === 'sessions') {
    if (pk.startsWith(SESSION_PK)) bells.ring(pk.slice(SESSION_PK.length))
  } else if (pk.startsWith(LEDGER_PK)) bells.ring(`call:${sk}`)
  // The copies, too: a listener may read one of them.
  else if (pk.startsWith(BROADCAST_PK)) bells.ring(TOOL_LISTS)
  else if (pk.startsWith(PROFILE_PK) && isListChanged(old, stored)) bells.ring(TOOL_LISTS)
}

const TOOL_LISTS = 'tool-lists'

/** An update that leaves an attribute alone keeps its value, the same object. */
function isListChanged(old: Written['old'], now: Written['stored']): boolean {
  return ['skillsChangedAtMs', 'groups'].some((name) => old?.item[name] !== now?.item[name])
}

/**
 * From one poll to the next when no bell rings: a poll without one only finds that the session's time is over. A poll
 * amid pending requests may leave the session's record out, so the end of a session is noticed after this time at most.
 */
const QUIET_MS = 2_000

/**
 *   reply put ─▶ committed ─▶ bell rung ─▶ the tail's sleep ends ─▶ its poll finds the reply
 * A ring between a poll and the sleep after it makes that sleep end at once: nothing waits unseen.
 */
function wokenTail(store: DynamoStore, bells: Bells): ReplyStream['tail'] {
  return (hash, signal) =>
    tailPartition(partitionReads(store, hash), store.clock, signal, {
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
