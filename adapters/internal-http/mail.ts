/**
 * Sends events as mail by SES: one SendEmail for each address, signed with the credentials that
 * Lambda gives the function. Subject and body are JSON fields, so no text can add a header. Bound by
 * docs/notices.md and
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import type { EventRecord } from '../../core/events/event.ts'
import { writeNotice } from '../../core/events/notice.ts'
import { escapeMarkup } from '../../core/json/escape-markup.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import { makeAwsHost } from '../aws/partition.ts'
import type { InternalAnswer } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

export const MAIL_TIMEOUT_MS = 5_000

export type MailOptions = Omit<SignedSendOptions, 'service' | 'url'> & {
  readonly from: string
  readonly to: string
  /** The URL of an emulator; default: AWS's own endpoint. */
  readonly endpoint?: URL | undefined
}

export function makeMailTarget(options: MailOptions): Pick<EventTarget, 'deliver'> {
  const { endpoint, from, to, ...signing } = options
  const url = endpoint ?? new URL(`https://${makeAwsHost('email', signing.region)}/`)
  const send = makeSignedSend({ ...signing, url, service: 'ses' })
  return {
    deliver: async (event) => {
      try {
        const request = makeRequest(event, { from, to })
        return readAnswer(await send(request, { timeoutMs: MAIL_TIMEOUT_MS }))
      } catch (cause) {
        if (!(cause instanceof Fault)) throw cause
        return err('SES did not answer')
      }
    },
  }
}

function makeRequest(event: EventRecord, { from, to }: Pick<MailOptions, 'from' | 'to'>) {
  const { lines, subject } = writeNotice(event)
  const footer = `Event ${event.eventId} of ${new Date(event.createdAtMs).toISOString()}.`
  const text = [...lines, '', footer].join('\n')
  const html = [...lines, footer].map((line) => `<p>${escapeMarkup(line)}</p>`).join('\n')
  const mail = {
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: toContent(subject),
        Body: { Text: toContent(text), Html: toContent(`<!doctype html>\n${html}`) },
      },
    },
  }
  return {
    path: '/v2/email/outbound-emails',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(mail)),
  }
}

function toContent(data: string) {
  return { Data: data, Charset: 'UTF-8' }
}

/** AWS's message may name an address, so only the kind of an error is told. */
function readAnswer({ body, headers, status }: InternalAnswer): Result<'delivered', string> {
  if (status === 200) return ok('delivered')
  const parsed = parseJson(Buffer.from(body).toString('utf8'), { subject: 'answer' })
  const answer = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
  const type = headers?.['x-amzn-errortype'] ?? answer['__type']
  const code = typeof type === 'string' ? (/[A-Za-z]+(?=$|:)/.exec(type)?.[0] ?? '') : ''
  return err(`SES answered ${status}${code === '' ? '' : ` ${code}`}${REMEDIES[code] ?? ''}`)
}

const REMEDIES: { readonly [code: string]: string } = {
  MessageRejected:
    '; verify the sender (eventsFrom) in SES, and the address too while the account is in its sandbox',
  MailFromDomainNotVerifiedException: '; verify the sender (eventsFrom) in SES',
  AccessDeniedException: '; the role of the sweep may not send from this identity',
}
