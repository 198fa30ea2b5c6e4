/**
 * Shows values. Texts of strangers become text nodes in which hidden characters are visible.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { escapeHiddenText } from '../../core/json/visible-text.ts'

/** A text that anybody may have written. */
export function Text({ of }: { of: unknown }) {
  return <>{toShown(of)}</>
}

/** Returns a value as text for a person, with hidden characters as escapes. */
export function toShown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return escapeHiddenText(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A value that a person copies, such as an id. */
export function Code({ of }: { of: unknown }) {
  return <code>{toShown(of)}</code>
}

const CREDITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 })
const COUNT = new Intl.NumberFormat()

export function formatCredits(value: unknown): string {
  return typeof value === 'number' ? CREDITS.format(value) : toShown(value)
}

export function formatCount(value: unknown): string {
  return typeof value === 'number' ? COUNT.format(value) : toShown(value)
}

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A moment in the reader's zone, and in UTC for a mouse or a screen reader. */
export function Time({ ms }: { ms: unknown }) {
  if (typeof ms !== 'number') return null
  const at = new Date(ms)
  const utc = at.toISOString()
  return (
    <time dateTime={utc} title={`${utc.slice(0, 19).replace('T', ' ')} UTC`}>
      {DAY_AND_TIME.format(at)}
    </time>
  )
}

const GOOD = [
  'active',
  'settled',
  'ok',
  'approved',
  'delivered',
  'closed',
  'served',
  'whole',
  'done',
  'off',
]
const BAD = [
  'refunded',
  'disabled',
  'deleted',
  'deleting',
  'failed',
  'refused',
  'flagged',
  'broken',
  'wrong',
  'on',
]

/** A word of a closed vocabulary, coloured by its meaning. */
export function State({ of }: { of: unknown }) {
  const word = toShown(of)
  const tone = GOOD.includes(word) ? 'good' : BAD.includes(word) ? 'bad' : 'plain'
  return <span class={`state ${tone}`}>{word}</span>
}

/** Copies a text; says so for a moment. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" class="quiet" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}

/** A link to another page of the console. */
export function Link({ href, children }: { href: string; children: ComponentChildren }) {
  return <a href={href}>{children}</a>
}

/** A block of text that keeps its lines, such as JSON. */
export function Block({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must take the keyboard.
    <section class="block" tabIndex={0} aria-label={label}>
      <pre>{toShown(text)}</pre>
    </section>
  )
}
