import { expect, test } from 'vitest'
import { makeAssumeRole, toSessionName } from '../../../../adapters/aws/signed/assume-role.ts'
import { roleOf } from '../../../lambda/credentials.ts'
import { startSts } from '../../upstream/signed/aws-doubles.ts'

test.each([
  ['ada', 'ada'],
  ['a', 'a=ypeBEsobvcr6wjGzmiPcTa'],
  ['', '=47DEQpj8HBSa-_TImW-5JC'],
  ['issuer|user@x', 'issuer-user@x=MvkrzEJHQ6Njxt1zMKZ2II'],
])('the session of the user "%s" is named %s', (uid, expected) => {
  expect(toSessionName(uid)).toBe(expected)
})

test('names of sessions have the form of AWS and differ for each user', () => {
  const uids = [
    'u=1',
    'u-1',
    'u 1',
    'u=2',
    'é',
    'è',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(66),
  ]
  const names = uids.map(toSessionName)
  expect(names.filter((name) => !/^[\w+=,.@-]{2,64}$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(uids.length)
})

test('1,000 sessions are kept, and one more takes the place of the oldest', async () => {
  const nowMs = () => Date.UTC(2026, 10, 27)
  const caller = roleOf('execute')
  const sts = await startSts({ caller, nowMs })
  const { assume, close } = makeAssumeRole({ nowMs, sleep: async () => {} })
  const role = { arn: 'arn:aws:iam::123456789012:role/reader' }
  const ask = (uid: string) => assume({ role, region: 'us-east-1', uid, endpoint: sts.url }, caller)
  const uids = Array.from({ length: 1_000 }, (_, nth) => `user-${nth}`)
  const counts: number[] = []
  for (const asked of [uids, ['user-0'], ['one-more'], ['user-1'], ['user-0']]) {
    const answers = []
    for (const uid of asked) answers.push(await ask(uid))
    expect(answers.filter(({ ok }) => !ok)).toEqual([])
    counts.push(sts.received.length)
  }
  close()
  await sts.close()
  expect(counts).toEqual([1_000, 1_000, 1_001, 1_001, 1_002])
})
