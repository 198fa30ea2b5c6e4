/**
 * A key and a certificate for 127.0.0.1 that live as long as a run, so that the attacker can serve https: client
 * metadata documents come over nothing else. X.509 version 3 (RFC 5280), signed by its own key.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export type Certificate = { readonly key: string; readonly cert: string }

const [INTEGER, OCTETS, OID, TEXT, UTC_TIME, SEQUENCE, SET] = [2, 4, 6, 12, 23, 48, 49]
const [VERSION, EXTENSIONS, IP_ADDRESS] = [0xa0, 0xa3, 0x87]
const ECDSA_WITH_SHA256 = tlv(SEQUENCE, tlv(OID, Buffer.from('2a8648ce3d040302', 'hex')))
const COMMON_NAME = Buffer.from('550403', 'hex')
const SUBJECT_ALT_NAME = Buffer.from('551d11', 'hex')
const DAY_MS = 86_400_000

export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = tlv(
    SEQUENCE,
    tlv(SET, tlv(SEQUENCE, tlv(OID, COMMON_NAME), tlv(TEXT, Buffer.from('attacker')))),
  )
  const addresses = tlv(SEQUENCE, tlv(IP_ADDRESS, Buffer.from([127, 0, 0, 1])))
  const body = tlv(
    SEQUENCE,
    tlv(VERSION, tlv(INTEGER, Buffer.from([2]))),
    tlv(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    tlv(SEQUENCE, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(
      EXTENSIONS,
      tlv(SEQUENCE, tlv(SEQUENCE, tlv(OID, SUBJECT_ALT_NAME), tlv(OCTETS, addresses))),
    ),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)])
  const whole = tlv(SEQUENCE, body, ECDSA_WITH_SHA256, tlv(3, signature))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

/** Tag, length, value (ITU-T X.690); values of this file are below 64 kB. */
function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const value = Buffer.concat(contents)
  const { length } = value
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)
  return tlv(UTC_TIME, Buffer.from(`${digits}Z`))
}
