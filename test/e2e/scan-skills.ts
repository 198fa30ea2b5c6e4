/**
 * Skills of the scanned day: each sends its secrets another way, to a mirror or to a port without a
 * server.
 */

type SkillJson = { readonly id: string; readonly meta: object; readonly config: object }

/** The first one sends the most; `planted` is in the description of the last one. */
export function skillsAt(mirror: string, planted: string): readonly SkillJson[] {
  const auth = { type: 'basic', username: 'service', secret: 'PASSWORD' }
  const headers = { 'x-key': '{{secrets.MIRROR_KEY}}' }
  const shared = { 'x-key': '{{secrets.SHARED_KEY}}' }
  const query = { q: '{{secrets.Q_SECRET}}', note: '{{args.note}}' }
  const body = { note: '{{args.note}}', key: 'is {{secrets.BODY_SECRET}}' }
  const bearer = (secret: string) => ({ auth: { type: 'bearer', secret } })
  const post = { method: 'POST' }
  const hmac = { plugin_hook: 'hmac_sha256_signature', plugin_options: { secret: 'SIGNING_KEY' } }
  const at = (path: string) => ({ endpoint: `${mirror}${path}` })
  return [
    skill('sg_all', { ...at('/json/all'), ...post, auth, headers, query, body }),
    skill('sg_fails', { ...at('/fails'), ...post, auth, headers, body }),
    skill('sg_spelled', { ...at('/spelled'), headers }),
    skill('sg_page', { ...at('/page'), headers, plugin_hook: 'html_to_markdown' }),
    skill('sg_oauth', { ...at('/json/oauth'), ...oauth(`${mirror}/token`) }),
    skill('sg_no_token', { ...at('/json/no-token'), ...oauth(`${mirror}/no-token`) }),
    skill('sg_signed', { ...at('/json/signed'), ...post, ...hmac }),
    skill('sg_lacks', { ...at('/json/lacks'), ...bearer('NOT_SET') }),
    skill('sg_unfit', { ...at('/json/unfit'), ...bearer('BODY_SECRET') }),
    skill('sg_hangs', { ...at('/hangs'), headers, timeout_ms: 300 }),
    skill('sg_gone', { endpoint: 'http://127.0.0.1:1/', headers, retries: 0 }),
    {
      ...skill('sg_strict', at('/json/strict')),
      meta: {
        name: 'strict',
        description: `Takes little. ${planted}`,
        parameters: {
          type: 'object',
          properties: { count: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
          additionalProperties: false,
        },
      },
    },
    skill('sg_shared', { ...at('/spelled'), headers: shared }),
    skill('sg_rotated', { ...at('/refuses'), headers: shared }),
  ]
}

function oauth(tokenUrl: string): object {
  return {
    plugin_hook: 'oauth2_client_credentials',
    plugin_options: {
      token_url: tokenUrl,
      client_id_secret: 'CLIENT_ID',
      client_secret_secret: 'CLIENT_SECRET',
    },
  }
}

function skill(id: string, config: object): SkillJson {
  const parameters = { type: 'object', properties: { note: { type: 'string' } } }
  const meta = { name: id, description: `Made by a test: ${id}.`, parameters }
  const priced = { id, source: 'official', meta, config, credits_per_call: 0.5 }
  return priced
}
