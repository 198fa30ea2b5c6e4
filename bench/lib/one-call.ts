/**
 * Makes one paid call of the execute flow with an upstream that answers 1 kB at once, and sums its
 * units.
 */

import { randomBytes } from 'node:crypto'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { executeSkill } from '../../core/flow/execute/execute-skill.ts'
import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import type { Ports } from '../../core/ports/ports.ts'
import { unwrap } from './agent.ts'
import { credentialOf } from './credential.ts'
import { type FlowPorts, SETTINGS, type StoreRequest } from './gateway.ts'

const READS: readonly string[] = ['get', 'batchGet', 'query']
/**
 * The upstream's answer: base64 of random bytes, a reply of 1 kB that gzip cannot shrink to
 * nothing.
 */
const ANSWER = JSON.stringify({ data: randomBytes(700).toString('base64') })

export async function callOnce(
  ports: FlowPorts & { upstream: Upstream },
  caches: ExecuteCaches,
  authorization: string,
) {
  const executed = await executeSkill(
    { ...ports, idempotencyRecords: NO_IDEMPOTENCY, oauthClient: { refresh: NO_KEY } },
    SETTINGS,
    caches,
    {
      credential: credentialOf(authorization),
      body: { skill: 'sg_bench', arguments: {} },
      terms: undefined,
      idempotencyKey: undefined,
      gone: new AbortController().signal,
    },
  )
  if (executed.answer.kind === 'problem') throw new Error(executed.answer.body.detail)
  return executed
}

const NO_KEY = () => Promise.reject(new Error('no Idempotency-Key is sent here'))
const NO_IDEMPOTENCY: Ports['idempotencyRecords'] = {
  claim: NO_KEY,
  find: NO_KEY,
  keep: NO_KEY,
  keepTask: NO_KEY,
  drop: NO_KEY,
}

export function createTimedUpstream(onRequest: (at: StoreRequest) => void): Upstream {
  return {
    send: async () => {
      const body = new TextEncoder().encode(ANSWER)
      onRequest({ startMs: performance.now(), endMs: performance.now() })
      const response = { status: 200, mediaType: 'application/json', charset: 'utf-8', body }
      return { kind: 'answered', response }
    },
  }
}

export function sumUnits(consumed: readonly ConsumedUnits[], kind: 'read' | 'written'): number {
  return consumed
    .filter(({ command }) => READS.includes(command) === (kind === 'read'))
    .reduce((sum, { units }) => sum + units, 0)
}

/** Stores the skill that `callOnce` calls. */
export async function syncBenchSkill(ports: Parameters<typeof syncSkill>[0]): Promise<void> {
  const skill = {
    id: 'sg_bench',
    source: 'official',
    meta: { name: 'bench', description: 'Answers 1 kB.', parameters: { type: 'object' } },
    config: { endpoint: 'https://upstream.invalid/', method: 'GET' },
    credits_per_call: 0.5,
  }
  const text = JSON.stringify(skill)
  unwrap(await syncSkill(ports, SETTINGS, { text, source: undefined, uid: undefined, list: 'now' }))
}
