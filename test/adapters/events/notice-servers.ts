/**
 * Stand-ins of the receivers of notices: SES's SendEmail, which checks the signature with AWS's own
 * signer, and an incoming webhook of Slack, which checks blocks and their limits.
 */
import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import {
  type InternalServer,
  internalServer,
  type ReceivedRequest,
} from '../internal-http/peer-server.ts'

export type Identity = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

class Sha256 {
  readonly #hash
  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret))
  }
  update(data: unknown) {
    this.#hash.update(toBytes(data))
  }
  async digest() {
    return new Uint8Array(this.#hash.digest())
  }
}

function toBytes(data: unknown): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data)
  if (data instanceof Uint8Array) return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : Buffer.from('')
}

/** `verified`: addresses that may be senders. Answers as SES does. */
export function startSesServer(
  identity: Identity,
  { region, verified }: { readonly region: string; readonly verified: readonly string[] },
): Promise<InternalServer> {
  return internalServer((response, request) => {
    const answer = (status: number, type: string, body: unknown) =>
      response.writeHead(status, { 'x-amzn-errortype': type }).end(JSON.stringify(body))
    void isSigned(request, identity, region).then((signed) => {
      if (!signed) return answer(403, 'InvalidSignatureException:', { message: 'signature' })
      if (request.target !== '/v2/email/outbound-emails')
        return answer(404, 'NotFoundException', {})
      const mail = JSON.parse(request.body.toString('utf8'))
      if (!verified.includes(mail.FromEmailAddress)) {
        return answer(400, 'MessageRejected', { message: 'Email address is not verified.' })
      }
      return answer(200, '', { MessageId: 'm-1' })
    })
  })
}

/** Signs the received request again, and compares. */
async function isSigned(request: ReceivedRequest, identity: Identity, region: string) {
  const { authorization = '', ...headers } = request.headers
  const signedNames = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';')
  const date = headers['x-amz-date'] ?? ''
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: identity.accessKeyId,
      secretAccessKey: identity.secretAccessKey,
      ...(identity.sessionToken === undefined ? {} : { sessionToken: identity.sessionToken }),
    },
    region,
    service: 'ses',
    sha256: Sha256,
    applyChecksum: signedNames.includes('x-amz-content-sha256'),
  })
  const kept = Object.entries(headers).filter(
    ([name]) =>
      signedNames.includes(name) && name !== 'x-amz-date' && name !== 'x-amz-security-token',
  )
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: request.target,
      query: {},
      headers: Object.fromEntries(kept),
      body: request.body,
    },
    {
      signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
    },
  )
  const mark = (text: string | undefined) => /Signature=([0-9a-f]{64})/.exec(text ?? '')?.[1]
  return mark(signed.headers['authorization']) === mark(authorization)
}

type SlackBlock = {
  readonly type: string
  readonly text?: { readonly type: string; readonly text: string }
}

type SlackAnswer = {
  readonly status: number
  readonly word?: string | undefined
  readonly headers?: Record<string, string>
}

/** Answers as Slack does: `ok`, or `invalid_blocks`; or with the status that a test sets. */
export function startSlackServer(
  say: () => SlackAnswer = () => ({
    status: 200,
  }),
): Promise<InternalServer> {
  return internalServer((response, request) => {
    const { headers = {}, status, word } = say()
    if (status !== 200) {
      response
        .writeHead(status, headers)
        .end(word ?? (status === 404 ? 'no_service' : 'rate_limited'))
      return
    }
    const { blocks, text } = JSON.parse(request.body.toString('utf8'))
    const isValid =
      typeof text === 'string' &&
      Array.isArray(blocks) &&
      blocks.length <= 50 &&
      blocks.every(isBlock)
    response.writeHead(isValid ? 200 : 400).end(isValid ? 'ok' : 'invalid_blocks')
  })
}

function isBlock({ text, type }: SlackBlock): boolean {
  if (type === 'context') return text === undefined
  if (text === undefined || text.text === '') return false
  if (type === 'header') return text.type === 'plain_text' && text.text.length <= 150
  return type === 'section' && text.type === 'mrkdwn' && text.text.length <= 3_000
}
