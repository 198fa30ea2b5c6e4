/** Which clients of revisions with a handshake show links, as one process remembers. */
import { expect, test } from 'vitest'
import type { Credential } from '../../../../core/access/credential.ts'
import {
  createLinkClients,
  LINK_CLIENTS_MAX,
} from '../../../../core/flow/streamable-http/link-clients.ts'

function keyOf(id: string): Credential {
  return { kind: 'key', id, sealingKey: 's', form: 'api-key', keyStart: undefined }
}

test('a client is known by its credential and its name', () => {
  const clients = createLinkClients()
  clients.note({ credential: keyOf('a'), client: 'one/1' }, true)
  expect(clients.shows({ credential: keyOf('a'), client: 'one/1' })).toBe(true)
  expect(clients.shows({ credential: keyOf('a'), client: 'two/1' })).toBe(false)
  expect(clients.shows({ credential: keyOf('b'), client: 'one/1' })).toBe(false)
  expect(clients.shows({ credential: { kind: 'anonymous' }, client: 'one/1' })).toBe(false)
})

test('a client that connects again without the capability shows no links', () => {
  const clients = createLinkClients()
  clients.note({ credential: keyOf('a') }, true)
  clients.note({ credential: keyOf('a') }, false)
  expect(clients.shows({ credential: keyOf('a') })).toBe(false)
})

test('the 1,000 newest clients are remembered, and the oldest is forgotten for one more', () => {
  const clients = createLinkClients()
  for (let at = 0; at < LINK_CLIENTS_MAX; at += 1) {
    clients.note({ credential: keyOf(`k${at}`) }, true)
  }
  expect(clients.shows({ credential: keyOf('k0') })).toBe(true)
  clients.note({ credential: keyOf('one more') }, true)
  expect(clients.shows({ credential: keyOf('k0') })).toBe(false)
  expect(clients.shows({ credential: keyOf('k1') })).toBe(true)
})
