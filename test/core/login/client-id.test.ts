import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { readClientId, readClientMetadata, signClientId } from '../../../core/login/client-id.ts'

const digests = nodeDigests()
const CLIENT = { name: 'Tëst', redirectUris: ['http://localhost/callback'], nonce: 'n-1' }

describe('a client id', () => {
  test('is read as it was signed', () => {
    const clientId = signClientId(digests, 'secret', CLIENT)
    expect(readClientId(digests, 'secret', clientId)).toEqual({
      clientId,
      name: 'Tëst',
      redirectUris: ['http://localhost/callback'],
    })
  })

  test('of two equal registrations with different nonces differs', () => {
    expect(signClientId(digests, 'secret', CLIENT)).not.toBe(
      signClientId(digests, 'secret', { ...CLIENT, nonce: 'n-2' }),
    )
  })

  test('is unknown under another secret', () => {
    const clientId = signClientId(digests, 'secret', CLIENT)
    expect(readClientId(digests, 'other', clientId)).toBeUndefined()
  })

  test('is unknown once any of its characters is another', () => {
    const clientId = signClientId(digests, 'secret', CLIENT)
    for (let at = 0; at < clientId.length; at += 1) {
      const changed = `${clientId.slice(0, at)}${clientId[at] === 'A' ? 'B' : 'A'}${clientId.slice(at + 1)}`
      expect([at, readClientId(digests, 'secret', changed)]).toEqual([at, undefined])
    }
  })

  test.each(['', 'c1.', 'c1..', 'https://x/', 'x'.repeat(5_000)])('is not %j', (text) => {
    expect(readClientId(digests, 'secret', text)).toBeUndefined()
  })

  test('may have 4,096 characters, and not one more', () => {
    const sign = (nonce: string) => signClientId(digests, 'secret', { ...CLIENT, nonce })
    const ids = Array.from({ length: 4_100 }, (_, chars) => sign('n'.repeat(chars)))
    const [fits = ''] = ids.filter(({ length }) => length === 4_096)
    const [past = ''] = ids.filter(({ length }) => length === 4_097)
    expect([fits.length, past.length]).toEqual([4_096, 4_097])
    expect(readClientId(digests, 'secret', fits)?.clientId).toBe(fits)
    expect(readClientId(digests, 'secret', past)).toBeUndefined()
  })

  test('of the largest registration is short enough to be read', () => {
    const uri = 'http://localhost/'.padEnd(300, 'a')
    const client = { name: '𝔘'.repeat(60), redirectUris: Array(8).fill(uri), nonce: 'n'.repeat(11) }
    const clientId = signClientId(digests, 'secret', client)
    expect(readClientId(digests, 'secret', clientId)?.redirectUris).toHaveLength(8)
  })
})

describe('the metadata of a client', () => {
  test('keeps the redirect URIs that are allowed and drops the others', () => {
    const redirect_uris = ['https://evil.example/', 'http://localhost/cb', 'https://app.example/cb']
    expect(readClientMetadata({ client_name: 'A', redirect_uris }, ['app.example'])).toEqual({
      name: 'A',
      redirectUris: ['http://localhost/cb', 'https://app.example/cb'],
    })
  })

  test('keeps 60 characters of a name and cuts one more', () => {
    const nameOf = (client_name: string) =>
      readClientMetadata({ client_name, redirect_uris: ['http://localhost/cb'] }, [])?.name
    expect(nameOf('n'.repeat(60))).toBe('n'.repeat(60))
    expect(nameOf(`${'n'.repeat(60)}x`)).toBe('n'.repeat(60))
  })

  test('keeps eight redirect URIs and not nine', () => {
    const uris = Array.from({ length: 9 }, (_, index) => `http://localhost/${index}`)
    expect(readClientMetadata({ redirect_uris: uris }, [])?.redirectUris).toEqual(uris.slice(0, 8))
    expect(readClientMetadata({ redirect_uris: uris.slice(1) }, [])?.redirectUris).toHaveLength(8)
  })

  test.each([
    ['no object', []],
    ['no redirect URIs', {}],
    ['redirect URIs that are no list', { redirect_uris: 'http://localhost/' }],
    ['a redirect URI that is no text', { redirect_uris: [1] }],
    ['no allowed redirect URI', { redirect_uris: ['https://evil.example/'] }],
  ])('is refused with %s', (_what, metadata) => {
    expect(readClientMetadata(metadata, [])).toBeUndefined()
  })

  test.each([
    ['cut at 60 characters', 'é'.repeat(61), 'é'.repeat(60)],
    ['whole at 60 characters', 'é'.repeat(60), 'é'.repeat(60)],
    ['with hidden characters as escapes', 'a\u202eb', 'a\\u{202E}b'],
    ['with words of ours if it is empty', ' ', 'a program without a name'],
    ['with words of ours if it is no text', 7, 'a program without a name'],
  ])('has a name %s', (_what, client_name, name) => {
    const metadata = { client_name, redirect_uris: ['http://localhost/'] }
    expect(readClientMetadata(metadata, [])?.name).toBe(name)
  })
})
