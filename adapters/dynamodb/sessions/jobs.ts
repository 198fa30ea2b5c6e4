/**
 * job:{callId}: what is asked about a job of an upstream, beside the head of its task. The claim of
 * a question is one write. Bound by ADR 0110.
 */

import type { JsonObject } from '../../../core/json/json.ts'
import { readFacts, writeFacts } from '../../../core/ledger/call-facts.ts'
import { TASK_TTL_MS } from '../../../core/mcp/task.ts'
import type { Jobs, NewJob, StoredJob } from '../../../core/ports/jobs.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import {
  bytesAt,
  type Item,
  intAt,
  isExpired,
  mapAt,
  optionalTextAt,
  textAt,
  wordAt,
} from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { JOB_PK, jobKey } from '../table.ts'

export const JOBS_PERMISSIONS: Permissions<Jobs> = {
  create: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [JOB_PK] }],
  read: [{ table: 'sessions', actions: ['GetItem'], keyPrefixes: [JOB_PK] }],
  claim: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [JOB_PK] }],
  note: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [JOB_PK] }],
  close: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [JOB_PK] }],
}

export function dynamoJobs(store: DynamoStore): Jobs {
  const table = store.tables.sessions
  return {
    // Sent again, or late: refused, so it opens no job that has ended. Dying before: the task has
    // no job, and ends as one whose worker died. Dying after: the job is asked about.
    async create(job) {
      await store.put(table, { item: toItem(job), if: 'attribute_not_exists(#pk)' })
    },

    async read(callId) {
      const item = await store.get(table, jobKey(callId), 'consistent')
      return item === undefined || isExpired(item, store.clock.nowMs()) ? undefined : fromItem(item)
    },

    //   A: nextAtMs 10 → 20 ✔ ─▶ asks          B, C …: 20 > now ✘ ─▶ answer what is stored
    //   the write is sent again: its own claim refuses it, and nobody asks until the next interval
    // Dying after: the next interval asks.
    async claim({ callId, nextAtMs, nowMs }) {
      const answer = await store.update(table, {
        key: jobKey(callId),
        set: 'SET #nextAtMs = :nextAtMs',
        if: 'attribute_exists(#resultKey) AND #nextAtMs <= :nowMs',
        values: { nextAtMs, nowMs },
      })
      return answer.kind === 'written' ? fromItem(answer.item) : undefined
    },

    // Two questions end at once: either note is true, and a lost one costs a question more.
    async note({ asked, callId, errors, message }) {
      const values = {
        errors,
        ...(message === undefined ? {} : { message }),
        ...(asked === undefined ? {} : { asked: JSON.stringify(asked) }),
      }
      const sets = Object.keys(values).map((name) => `#${name} = :${name}`)
      const gone = ['asked', 'message'].filter((name) => !Object.hasOwn(values, name))
      const removes =
        gone.length === 0 ? '' : ` REMOVE ${gone.map((name) => `#${name}`).join(', ')}`
      await store.update(table, {
        key: jobKey(callId),
        set: `SET ${sets.join(', ')}${removes}`,
        if: 'attribute_exists(#resultKey)',
        values,
      })
    },

    // After the head of the task. Dying before: the head refuses every other end, and the key goes
    // with the record.
    async close(callId) {
      await store.update(table, {
        key: jobKey(callId),
        set: 'REMOVE #resultKey',
        if: 'attribute_exists(#pk)',
        values: {},
      })
    },
  }
}

function toItem({ facts, message, skillUid, values, ...job }: NewJob): Item {
  return {
    ...jobKey(job.callId),
    ...job,
    values: { ...values },
    facts: writeFacts(facts),
    ...(skillUid === undefined ? {} : { skillUid }),
    ...(message === undefined ? {} : { message }),
    nextAtMs: job.startedAtMs + job.pollMs,
    errors: 0,
    ttl: Math.ceil((job.deadlineMs + JOB_KEPT_MS) / 1_000),
  }
}

/** A result is kept for a day after the latest end of its job, and its key as long. */
const JOB_KEPT_MS = TASK_TTL_MS + 3_600_000

function fromItem(item: Item): StoredJob {
  const keyId = textAt(item, 'keyHash')
  const values = mapAt(item, 'values')
  const asked = optionalTextAt(item, 'asked')
  return {
    callId: textAt(item, 'callId'),
    uid: textAt(item, 'uid'),
    keyHash: keyId,
    username: textAt(item, 'username'),
    skillId: textAt(item, 'skillId'),
    source: wordAt(item, 'source', SKILL_SOURCES),
    skillUid: optionalTextAt(item, 'skillUid'),
    version: intAt(item, 'version'),
    startedAtMs: intAt(item, 'startedAtMs'),
    deadlineMs: intAt(item, 'deadlineMs'),
    pollMs: intAt(item, 'pollMs'),
    values: Object.fromEntries(Object.keys(values).map((name) => [name, textAt(values, name)])),
    message: optionalTextAt(item, 'message'),
    facts: readFacts(textAt(item, 'facts')) ?? { keyId, door: 'mcp', phases: {} },
    taskHash: textAt(item, 'taskHash'),
    worker: textAt(item, 'worker'),
    revision: textAt(item, 'revision'),
    toolName: textAt(item, 'toolName'),
    resultKey: optionalTextAt(item, 'resultKey'),
    sealedKey: bytesAt(item, 'sealedKey'),
    nextAtMs: intAt(item, 'nextAtMs'),
    errors: intAt(item, 'errors'),
    // Our own text.
    asked: asked === undefined ? undefined : (JSON.parse(asked) as JsonObject),
  }
}
