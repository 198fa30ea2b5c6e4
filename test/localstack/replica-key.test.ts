/** A secret that a Multi-Region key sealed opens under its replica, in the KMS of another region. */
import { randomUUID } from 'node:crypto'
import {
  CreateKeyCommand,
  KMS,
  ReplicateKeyCommand,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms'
import { afterAll, expect, test } from 'vitest'
import { makeKmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import type { SecretContext } from '../../core/secrets/secret.ts'
import { REGION } from './credentials.ts'
import { emulatorOfProcess } from './emulator.ts'

const SECOND_REGION = 'eu-west-1'
const DAYS_MIN = 7

const { endpoint } = await emulatorOfProcess()
const first = new KMS({ endpoint, region: REGION })
const second = new KMS({ endpoint, region: SECOND_REGION })

afterAll(() => {
  first.destroy()
  second.destroy()
})

test('a secret opens in the second region, under the replica alone, and for its own user alone', async () => {
  const { KeyMetadata: primary } = await first.send(new CreateKeyCommand({ MultiRegion: true }))
  const KeyId = primary?.KeyId
  const { ReplicaKeyMetadata: replica } = await first.send(
    new ReplicateKeyCommand({ KeyId, ReplicaRegion: SECOND_REGION }),
  )
  const { KeyMetadata: other } = await second.send(new CreateKeyCommand({ MultiRegion: true }))
  const context: SecretContext = {
    uid: `u-${randomUUID()}`,
    skillId: 'sg_weather',
    name: 'API_KEY',
    binding: '{}',
  }
  const here = makeKmsSecretSeals({ keyId: primary?.Arn ?? '', client: first })
  const there = makeKmsSecretSeals({ keyId: replica?.Arn ?? '', client: second })
  const foreign = makeKmsSecretSeals({ keyId: other?.Arn ?? '', client: second })

  const sealed = await here.seal(context, 'correct horse')
  if (!sealed.ok) throw new Error('not sealed', { cause: sealed.error.cause })
  expect(await there.open(context, sealed.value)).toEqual({ ok: true, value: 'correct horse' })
  expect(await foreign.open(context, sealed.value)).toMatchObject({ error: { why: 'foreign' } })
  expect(await there.open({ ...context, uid: 'u-2' }, sealed.value)).toMatchObject({
    error: { why: 'foreign' },
  })
  const back = await there.seal(context, 'battery staple')
  if (!back.ok) throw new Error('not sealed', { cause: back.error.cause })
  expect(await here.open(context, back.value)).toEqual({ ok: true, value: 'battery staple' })

  const PendingWindowInDays = DAYS_MIN
  for (const [kms, id] of [
    [second, KeyId],
    [second, other?.KeyId],
    [first, KeyId],
  ] as const) {
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId: id, PendingWindowInDays }))
  }
})
