/** The principal behind an API key: what seals for it belongs to the key, and to no header. */

import { expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { authenticate } from '../../../../core/flow/access/authenticate.ts'
import { keyFor, makeWorld } from '../world.ts'

test('a principal has the same sealing key for each spelling of its header, and another one with another API key', async () => {
  const world = makeWorld()
  const header = await world.user('ada')
  const sealingKeyOf = async (sent: string) => {
    const authentication = await authenticate(world.ports, credentialOf(sent))
    if (authentication.kind !== 'principal') throw new Error(authentication.kind)
    return authentication.principal
  }
  const first = await sealingKeyOf(header)
  const again = await sealingKeyOf(header.replace('Bearer ', 'bearer '))
  expect(again.sealingKey).toBe(first.sealingKey)
  // The store holds the one, and the header the other.
  expect(first.sealingKey).not.toBe(first.keyHash)
  expect(header).not.toContain(first.sealingKey)
  const other = await sealingKeyOf(await keyFor(world, 'ada'))
  expect(other.uid).toBe('ada')
  expect(other.sealingKey).not.toBe(first.sealingKey)
})
