import { expect, test } from 'vitest'
import { toSessionName } from '../../../../adapters/aws/signed/assume-role.ts'

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
