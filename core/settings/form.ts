/** Forms of texts in settings: whether a text has the form, and the words that describe it. */

import { isFunctionName, parseFunctionArn } from '../json/function-name.ts'
import { AUTH_EXTENSIONS } from './auth-extensions.ts'
import { parseCreditPrice } from './credit-price.ts'
import { EVENT_TARGET_RULE, parseEventTarget } from './event-target.ts'

export type Form = {
  readonly fits: (text: string) => boolean
  /** Completes "give …" in an error message. */
  readonly rule: string
  /** Returns the canonical spelling of a text that fits. */
  readonly tidy?: (text: string) => string
}

export const AUTH_EXTENSION: Form = {
  fits: (text) => AUTH_EXTENSIONS.has(text),
  rule: [...AUTH_EXTENSIONS.keys()].join(' or '),
}

/** Every tool name begins with the prefix, and clients add their own prefix, so it is short. */
export const PREFIX = patternForm(
  /^[a-z][a-z0-9]{0,15}$/,
  '1 to 16 characters of a-z and 0-9, a letter first, without the underscore',
)
export const STAGE = patternForm(
  /^[a-z][a-z0-9-]{0,15}$/,
  '1 to 16 characters of a-z, 0-9 and -, a letter first',
)
export const ACCOUNT = patternForm(/^\d{12}$/, 'the 12 digits of an AWS account, as a text')
export const TABLE_NAME = patternForm(/^[A-Za-z0-9_.-]{3,255}$/, 'a table name')
export const REGION = patternForm(/^[a-z0-9-]{3,30}$/, 'a region such as eu-central-1')
/** Without dots, because the certificate of S3 does not cover a name with dots. */
export const BUCKET = patternForm(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, 'the name of an S3 bucket')
/** A name has letters, digits and /_+=.@-; an ARN also has colons. */
export const SECRET_ID = patternForm(/^[A-Za-z0-9/_+=.@:-]{1,2048}$/, 'the name or ARN of a secret')
export const STREAM_ARN = patternForm(
  /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}\/stream\/[\w:.-]{1,64}$/,
  'the ARN of the stream of SESSIONS_TABLE, which REPLY_TAIL=dynamodb-streams reads',
)
/** An alias is refused: sealed values name the key itself, and only that key opens them. */
export const KMS_KEY_ARN = patternForm(
  /^arn:[a-z-]+:kms:[a-z0-9-]{3,30}:\d{12}:key\/[A-Za-z0-9-]{1,64}$/,
  'the ARN of a KMS key (arn:aws:kms:REGION:ACCOUNT:key/ID)',
)
/** With an alias or a version; a name alone would be looked up in the account of the caller. */
export const FUNCTION_ARN = patternForm(
  /^arn:[a-z-]+:lambda:[a-z0-9-]{3,30}:\d{12}:function:[A-Za-z0-9_-]{1,64}(?::[A-Za-z0-9_$-]{1,128})?$/,
  'the ARN of a function (arn:aws:lambda:REGION:ACCOUNT:function:NAME:ALIAS)',
)
export const SUBNET_ID = patternForm(
  /^subnet-[0-9a-f]{8,17}$/,
  'a subnet such as subnet-0123456789abcdef0',
)
export const SECURITY_GROUP_ID = patternForm(
  /^sg-[0-9a-f]{8,17}$/,
  'a security group such as sg-0123456789abcdef0',
)
/**
 * In lower case, because the host of an origin is; labels as DNS has them. Like the next two it is
 * no call, so the functions, which do not read it, leave it out.
 */
export const DOMAIN: Form = {
  fits: (text) =>
    /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(
      text,
    ),
  rule: 'a host name in lower case, such as mcp.example.com, without scheme and path',
}
export const HOSTED_ZONE_ID: Form = {
  fits: (text) => /^Z[A-Z0-9]{1,31}$/.test(text),
  rule: 'the id of a hosted zone of Route 53, such as Z0123456789ABCDEFGHIJ',
}
/** CloudFront takes certificates of this region alone. */
export const EDGE_CERTIFICATE_ARN: Form = {
  fits: (text) => /^arn:aws:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]{1,64}$/.test(text),
  rule: 'the ARN of a certificate in us-east-1 (arn:aws:acm:us-east-1:ACCOUNT:certificate/ID)',
}
export const MAIL: Form = {
  fits: (text) => /^(?:none|[^@\s,;]+@[^@\s,;]+)$/.test(text),
  rule: 'one address, or "none" for no mail',
}
/** Characters of an address that mail can be sent to (RFC 5321, section 4.5.3.1.3, less the brackets). */
const MAIL_CHARS_MAX = 254
export const PAGER_MAIL: Form = {
  fits: (text) => text.length <= MAIL_CHARS_MAX && /^[^@\s,;]+@[^@\s,;]+$/.test(text),
  rule: `one address of at most ${MAIL_CHARS_MAX} characters`,
}
/** As GitHub's tokens name it: with ids since June 2026, which no later owner of the names gets. */
export const GITHUB_REPOSITORY: Form = {
  fits: (text) => /^[A-Za-z0-9][A-Za-z0-9-]{0,60}\/[A-Za-z0-9._-]{1,120}$/.test(text),
  rule: 'a repository as its tokens name it, such as octocat/gateway, or octocat-123456/gateway-456789 if it is newer than June 2026',
}
/** What a credit costs; a function other than admin does not read it. */
export const CREDIT_PRICE: Form = {
  fits: (text) => parseCreditPrice(text) !== undefined,
  rule: 'an amount above 0 with at most 9 decimals and a currency of ISO 4217, such as "0.01 EUR"',
}
export const ANY_TEXT = patternForm(/^/, 'a text')

/**
 * Scheme, host and port without a path, as core/access compares them. Editors have their own
 * schemes.
 */
export const ORIGIN: Form = {
  fits: (text) =>
    text === '*' || (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/i.test(text) && URL.canParse(text)),
  rule: 'an origin such as https://app.example',
}

/** Characters of a name in DNS. A longer one has no address. */
const HOST_CHARS_MAX = 253
/** The origin under which clients reach the gateway. Only this machine needs no https. */
export const PUBLIC_ORIGIN: Form = {
  fits: (text) => {
    const url = URL.parse(text)
    if (url === null || `${url.origin}/` !== url.href) return false
    if (url.hostname.length > HOST_CHARS_MAX) return false
    return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))
  },
  rule: `an https origin without a path, such as https://mcp.example.com, with a host of at most ${HOST_CHARS_MAX} characters`,
  tidy: (text) => new URL(text).origin,
}

/** A host name, with a port unless it is 443. Addresses are refused: no certificate names them. */
export const REDIRECT_HOST: Form = {
  fits: (text) => /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z-][a-z0-9-]*(?::[1-9]\d{0,4})?$/i.test(text),
  rule: 'a host such as app.example.com, without scheme and path',
  tidy: (text) => text.toLowerCase(),
}

const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i
/** A URL is refused, since its path and scheme would have no effect. */
export const HOST: Form = {
  fits: (text) => {
    const [whole, port] = HOST_AND_PORT.exec(text) ?? []
    return whole !== undefined && Number(port ?? '1') > 0 && URL.canParse(`http://${text}`)
  },
  rule: 'HOST or HOST:PORT, such as localhost:3000',
  tidy: (text) => text.toLowerCase(),
}

const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,200}$/
const ACCESS_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+){2,}$/i
/** No list of a pattern: each role and host of skills is named. */
export const SIGNED_ACCESS: Form = {
  fits: (text) => ROLE.test(text) || ACCESS_HOST.test(text),
  rule: 'the ARN of a role, arn:aws:iam::ACCOUNT:role/NAME, or a host of AWS without scheme and path',
  tidy: (text) => (text.startsWith('arn:') ? text : text.toLowerCase()),
}

const LISTEN_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
/** An address or a name of this machine; IPv6 with or without brackets. */
export const LISTEN_HOST: Form = {
  fits: (text) => LISTEN_NAME.test(text) || isIpv6(withoutBrackets(text)),
  rule: 'an address to listen on, such as 127.0.0.1, ::1 or 0.0.0.0',
  tidy: (text) => withoutBrackets(text).toLowerCase(),
}

function withoutBrackets(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1')
}

export const CIDR: Form = {
  fits: (text) => {
    const [, address = '', bits] = /^([0-9a-f:.]+)\/(\d{1,3})$/i.exec(text) ?? []
    if (IPV4.test(address)) return Number(bits) <= 32
    return isIpv6(address) && Number(bits) <= 128
  },
  rule: 'a block such as 203.0.113.0/24 or 2001:db8::/32',
}

/**
 * RFC 6761 6.3: names under `localhost` are this machine. LocalStack's function URLs have such
 * names.
 */
export const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/
export const FUNCTION_URL: Form = {
  fits: (text) => {
    const url = URL.parse(text)
    if (url === null || `${url.username}${url.password}${url.search}` !== '') return false
    return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))
  },
  rule: 'the https URL of the function (http only on this machine)',
}

/** A trailing asterisk stands for any end of the name; an asterisk alone would be every function. */
export const LAMBDA_UPSTREAM: Form = {
  fits: (text) => {
    const name = text.endsWith('*') ? `${text.slice(0, -1)}x` : text
    return (
      (isFunctionName(name) && text !== '*') ||
      (parseFunctionArn(name) !== undefined && !text.endsWith(':*'))
    )
  },
  rule: 'the name or ARN of a function without version and alias, whose end may be an asterisk, such as orders-*',
}

/** The endpoint of a service that replaces one of AWS. */
export const ENDPOINT: Form = {
  fits: (text) => {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) return false
    return `${url.username}${url.password}${url.pathname}${url.search}${url.hash}` === '/'
  },
  rule: 'an http or https URL without a path',
}

function patternForm(pattern: RegExp, rule: string): Form {
  return { fits: (text) => pattern.test(text), rule }
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** A zone (`fe80::1%eth0`) is no part of a URL's host, so it is ignored. */
function isIpv6(text: string): boolean {
  return text.includes(':') && URL.canParse(`http://[${text.replace(/%[\w.-]+$/, '')}]`)
}

/** On AWS, https only: a reader of the connection would read the events. */
export const EVENT_TARGET: Form = {
  fits: (text) => parseEventTarget(text) !== undefined && !text.startsWith('http:'),
  rule: `an https URL, ${EVENT_TARGET_RULE}`,
}

/** On the twin, http too: a receiver on this machine has no certificate. */
export const LOCAL_EVENT_TARGET: Form = {
  fits: (text) => parseEventTarget(text) !== undefined,
  rule: `an http or https URL, ${EVENT_TARGET_RULE}`,
}
