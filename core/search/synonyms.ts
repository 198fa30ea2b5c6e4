/**
 * Words that people use for one thing that tools do, in English and German, and phrases whose words
 * say little by themselves. General terms only: the words of a trade belong into the tags of its
 * skills. Bound by docs/design/skills.md#search.
 */
import { splitWords } from './search-words.ts'

/**
 * Each line is one thing. A word may be in several lines. Forms of a word (plural, -ing, -ed) need
 * no entry of their own.
 */
const GROUPS = `
weather forecast rain snow sun umbrella storm warm cold wetter wettervorhersage vorhersage regen regnet schnee warm kalt
temperature warm warmer cold colder heat heating thermostat temperatur heizung
time clock timezone uhrzeit zeit spat zeitzone
date day calendar datum tag
calendar appointment meeting event schedule termin kalender besprechung treffen
free busy available availability freebusy frei verfugbar
hours open opening close closing closed offnungszeiten geoffnet geschlossen
send post write deliver submit senden schicken schreiben
message sms text chat notification nachricht
mail email inbox mailbox letter post mailen postfach
call phone ring dial telephone anruf anrufen telefon
pay payment charge checkout purchase buy zahlung zahlen bezahlen kaufen
refund reimburse repay erstatten erstattung ruckerstattung
money funds balance credit wallet geld guthaben kontostand
invoice bill billing receipt rechnung quittung
currency dollar euro pound yen forex fx exchange rate wahrung wechselkurs umrechnen
price cost fee quote fare rate preis kosten kurs
stock share equity quote aktie borse
crypto bitcoin ethereum coin kryptowahrung
discount coupon voucher promo rabatt gutschein
subscription plan membership abo abonnement
customer client buyer kunde kundin
order purchase bestellung bestellen
product item article produkt ware artikel
parcel package shipment delivery shipping track tracking paket sendung lieferung
book novel ebook isbn buch roman
rent borrow lend loan hire lease ausleihen leihen mieten
library bibliothek bucherei
movie film cinema theatre theater kino
music song tune album artist musik lied titel
play start resume listen abspielen
news headline story nachrichten schlagzeile
picture image photo drawing bild foto
draw generate paint create zeichnen malen
read recognise extract ocr scan transcribe lesen erkennen
translate translation ubersetzen ubersetzung
definition meaning mean dictionary define worterbuch bedeutung
flight plane airline airport flug flieger flugzeug flughafen
train rail railway bus tram transport station zug bahn bahnhof
departure leave timetable abfahrt abfahren fahrplan
late delay status delayed verspatung verspatet
hotel room accommodation stay lodging unterkunft zimmer
reserve reservation book booking buchen reservieren buchung
restaurant eat dinner lunch diner essen
food meal dish essen speise
recipe cook cooking dish ingredient rezept kochen
route directions navigate navigation distance way weg strecke entfernung
place location address shop ort adresse
map coordinates geocode karte
issue bug defect problem fehler
ticket issue case request support anfrage
repository repo git
pr pull merge
task todo reminder remind aufgabe erinnern erinnerung
file document attachment datei dokument
upload attach hochladen
download fetch export herunterladen
spreadsheet sheet excel table tabelle
link url shorten links
password login credential passwort kennwort
me myself authenticated whoami
user account profile login konto profil benutzer
user person people member contact benutzer person
employee staff colleague mitarbeiter
light lamp bulb licht lampe
alert page incident alarm oncall
holiday vacation feiertag ferien urlaub
sunrise sunset sun daylight sonnenaufgang sonnenuntergang
step walk activity fitness schritte
create add new make insert open schedule erstellen anlegen neu
delete remove erase cancel drop loschen entfernen
cancel stop end terminate unsubscribe kundigen stornieren abbrechen
update edit change modify rename andern bearbeiten
list show view all browse anzeigen zeigen
search find look lookup query suchen finden
job role position career stelle beruf
ship spaceship spacecraft boot
animal pet tier haustier
`

/** A query with the phrase is also searched for the words after the colon. */
const PHRASES = `
who am i: me
wer bin ich: me
what is on: now playing
money back: refund
geld zuruck: refund
how far: distance route
how do i get to: route directions
wie weit: distance route
wie komme ich: route directions
wie spat: time
on call: incident
phone number: lookup
sun go down: sunset
sun come up: sunrise
text message: sms
`

/** How much of its weight a word gets that is a synonym of the query's word. */
export const SYNONYM_SHARE = 0.6

/** By word: the words of all its lines. */
const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = readGroups()
const INTENTS: readonly (readonly [phrase: string, words: readonly string[]])[] = readPhrases()

function readGroups(): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>()
  for (const line of GROUPS.trim().split('\n')) {
    const words = splitWords(line)
    for (const word of words) all.set(word, new Set([...(all.get(word) ?? []), ...words]))
  }
  return all
}

function readPhrases() {
  return PHRASES.trim()
    .split('\n')
    .map((line) => {
      const [phrase = '', words = ''] = line.split(':')
      return [` ${splitWords(phrase).join(' ')} `, splitWords(words)] as const
    })
}

/** Returns the words that the phrases of a query mean, without the words of the query itself. */
export function findIntentWords(query: string): readonly string[] {
  const text = ` ${splitWords(query).join(' ')} `
  return INTENTS.flatMap(([phrase, words]) => (text.includes(phrase) ? words : []))
}

/** Returns the synonyms of a word or of one of its forms, each with its own forms. */
export function findSynonyms(word: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const form of listForms(word)) {
    for (const synonym of SYNONYMS.get(form) ?? []) addForms(found, synonym)
  }
  found.delete(word)
  return found
}

function addForms(to: Set<string>, synonym: string): void {
  to.add(synonym)
  if (synonym.length < FORM_UNITS_MIN) return
  const stem = synonym.endsWith('e') ? synonym.slice(0, -1) : synonym
  for (const ending of SYNONYM_ENDINGS) to.add(stem + ending)
}

const ENDINGS = ['s', 'es', 'ing', 'ed', 'er', 'e', 'en', 'n', 'ings'] as const
/** Endings of synonyms in English texts of tools; German texts use the words as they are. */
const SYNONYM_ENDINGS = ['s', 'es', 'ing', 'ed', 'ings'] as const
/** A shorter word has other words as its forms: `new` has `news`. */
const FORM_UNITS_MIN = 4
/** The part of a word before an ending that can be a word. */
const STEM_UNITS_MIN = 3

/** The word, the word without a usual ending, and each of these with the usual endings. */
function listForms(word: string): ReadonlySet<string> {
  if (word.length < FORM_UNITS_MIN) return new Set([word])
  const stems = [word]
  for (const ending of ENDINGS) {
    const stem = word.slice(0, -ending.length)
    if (word.endsWith(ending) && stem.length >= STEM_UNITS_MIN) stems.push(stem)
  }
  if (word.endsWith('ies')) stems.push(`${word.slice(0, -3)}y`)
  // `scanned` is a form of `scan`.
  const doubled = /^(.{2,}(.))\2(?:ed|er|ing)$/.exec(word)?.[1]
  if (doubled !== undefined) stems.push(doubled)
  return new Set(stems.flatMap((stem) => [stem, ...ENDINGS.map((ending) => stem + ending)]))
}
