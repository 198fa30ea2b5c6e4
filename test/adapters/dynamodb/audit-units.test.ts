/** Units of the trail of changes and of a named key, counted by the store itself. */
import { expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { dynamoAuditTrail } from '../../../adapters/dynamodb/audit/audit-trail.ts'
import { dynamoAdminKeys } from '../../../adapters/dynamodb/users/admin-keys.ts'
import type { AuditIntent, AuditOutcome } from '../../../core/audit/audit-record.ts'
import { createAuditAppender } from '../../../core/flow/audit/append-audit.ts'
import { freshHash } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { useEmbeddedStore } from './embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
const DIGEST = 'q3x0Zt8uN1mVfJ2kLw9y7A'
const FIELDS = { uid: DIGEST, username: DIGEST, tier: DIGEST, credits: DIGEST, state: DIGEST }

const INTENT: AuditIntent = {
  kind: 'intent',
  atMs: clock.nowMs(),
  who: { name: 'grace', role: 'operator', keyId: freshHash() },
  operation: 'patchUser',
  method: 'PATCH',
  route: '/users/{uid}',
  target: { uid: 'ada' },
  sent: { tier: DIGEST },
  before: FIELDS,
  digestKey: 'b1Xc0aZ9',
  requestId: '5f0c1e9a-0f5b-4b0e-9a3e-6d8c2f1b7a10',
  sourceAddress: '192.0.2.7',
}
const OUTCOME: AuditOutcome = {
  kind: 'outcome',
  atMs: clock.nowMs(),
  status: 200,
  target: { uid: 'ada' },
  after: FIELDS,
}

test('a change costs two transactions of 4 units each, and no read once the head is known', async () => {
  const trail = createAuditAppender({
    auditTrail: dynamoAuditTrail(store),
    clock,
    digests: nodeDigests(),
  })
  await trail.append(INTENT)
  seen.length = 0
  const intent = await trail.append(INTENT)
  await trail.append(OUTCOME, intent)
  expect(seen.map(({ command }) => command)).toEqual(['transact', 'transact'])
  expect(seen.map(({ units }) => units)).toEqual([4, 4])
})

test('a request with a named key costs one read unit', async () => {
  const keys = dynamoAdminKeys(store)
  const keyId = freshHash()
  await keys.create({
    keyId,
    name: 'grace',
    role: 'viewer',
    keyPrefix: 'sga_ab12',
    createdAtMs: 1,
    createdBy: 'break-glass:admin-key',
    expiresAtMs: undefined,
    lastUsedDay: '2033-05-18',
  })
  seen.length = 0
  expect(await keys.find(keyId)).toMatchObject({ name: 'grace' })
  expect(seen).toEqual([{ command: 'get', units: 1 }])
})
