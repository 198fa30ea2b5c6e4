/** Servers of a document that is read from a URL: those without a host are on the host that has the document. */
import { describe, expect, test } from 'vitest'
import { withHost } from '../../cli/openapi/document-host.ts'

const FROM = new URL('https://docs.test/v3/openapi.json')
const servers = (...urls: readonly string[]) => urls.map((url) => ({ url }))

describe('a document from a URL', () => {
  test('servers without a host get that of the document, and others stay, at the root, at a path and at an operation', () => {
    const document = {
      openapi: '3.0.3',
      servers: servers(
        '/v1',
        'v2',
        './v2',
        'https://own.test/v1',
        '//cdn.test',
        '{scheme}://{host}',
      ),
      paths: { '/a': { servers: servers('/a'), get: { servers: servers('/b') }, parameters: [] } },
    }
    expect(withHost(document, FROM)).toEqual({
      openapi: '3.0.3',
      servers: servers(
        'https://docs.test/v1',
        'https://docs.test/v3/v2',
        'https://docs.test/v3/v2',
        'https://own.test/v1',
        '//cdn.test',
        '{scheme}://{host}',
      ),
      paths: {
        '/a': {
          servers: servers('https://docs.test/a'),
          get: { servers: servers('https://docs.test/b') },
          parameters: [],
        },
      },
    })
  })

  test('a document without servers is on its own host, in Swagger 2.0 too', () => {
    expect(withHost({ openapi: '3.1.0' }, FROM)['servers']).toEqual(servers('https://docs.test/'))
    expect(withHost({ swagger: '2.0', basePath: '/v1' }, FROM)).toEqual({
      swagger: '2.0',
      basePath: '/v1',
      host: 'docs.test',
      schemes: ['https'],
    })
    const own = { swagger: '2.0', host: 'api.test', schemes: ['http'] }
    expect(withHost(own, FROM)).toEqual(own)
  })
})
