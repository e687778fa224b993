/** Words of mail programs, by language: what tells a quotation where its structure doesn't. */

/** Ends of the line above a quotation: "On Monday, Bo wrote:". */
export const WROTE =
  /(?:\bwrote|\bschrieb|\ba écrit|\bescribi[óo]|\bescreveu|\bha scritto|\bschreef|\bskrev|napisał\(?a?\)?|написал\(?а?\)?)(?:\s[^:]{1,120})?\s?:$|(?:գրել է|գրեց)[.:։]$/iu;
export const WROTE_START = /^(?:On|Am|Le|El|Em|Il|Op|Den|Dnia|Em|A|W dniu)\b/u;
/** "-----Original Message-----" in the languages of Outlook, Yahoo and others. */
export const ORIGINAL =
  /^-{2,}\s?(?:original message|original appointment|forwarded message|ursprüngliche nachricht|originalnachricht|weitergeleitete nachricht|message d[\u2019']origine|message original|message transféré|mensaje original|mensagem original|mensaje reenviado|mensagem encaminhada|messaggio originale|oorspronkelijk bericht)\s?-{2,}$/iu;
/** First line of the header that Outlook puts above a quotation. */
export const HEADER_FROM = /^\*?(?:From|Von|De|Da|Van|Från|Fra)\s?:\*?\s.*\S/u;
/** What phones and mail programs add below an answer: "Sent from my iPhone". */
const SENT_FROM =
  /^(?:Sent|Gesendet|Envoyée?|Enviado|Inviato|Verzonden|Skickat|Sendt|Odesláno|Odoslané|Wysłan[eo]|Отправлено|Надіслано|Lähetetty|Trimis|Изпратено|Poslano|Στάλθηκε|Dikirim|Đã gửi)\s(?:from|via|with|using|von|vom|mit|aus|über|de|depuis|à partir|avec|desde|do|da|dal|a partir|con|com|vanaf|met|från|fra|med|ze?|с|из|з|pe|от|iz|από|dari|từ|iPhone|iPad|Outlook)/iu;
/** "Sent from my bank" is what somebody wrote. */
const DEVICE =
  /phone|iPad|iPod|tablet|handy\b|mobil|android|mail|outlook|yahoo|samsung|galaxy|huawei|xiaomi|redmi|windows|blackberry|proton|spark|tutanota|thunderbird|superhuman|canary|shortwave|\bK-9\b|\bAOL\b/i;
const PROGRAM_SIGNATURE = [
  /^Von (?:meinem|unterwegs)\b.*\bgesendet\b/iu,
  /^(?:Diese Nachricht wurde von|This message was sent from|Ce message a été envoyé|Este mensaje fue enviado)\b/iu,
  /^(?:Get|Download|Téléchargez?|Obten(?:ir|ez|er|ha)|Obter|Holen Sie sich|Laden Sie|Scarica|Pobierz|Hanki|Hämta|Hent|Získat|Скачать)\s(?:\S{1,12}\s)?Outlook (?:for|für|pour|para|per|voor|til|för|pro|dla|для|i?OS|Android)\b/iu,
  /^Outlook (?:für|for|pour|para|per|voor|til|för)\b/iu,
  // Tuta has its link below it.
  /^(?:.{2,40} Tuta(?:nota| Mail)?:?|https:\/\/tuta(?:nota)?\.com\/?[\w/-]{0,40})$/iu,
  /^(?:Yahoo Mail: .+|Mit freundlichen Grüßen von meinem .+)$/iu,
  /^(?:发自我的|從我的|从我的|傳送自|iPhoneから|iPadから|나의 iPhone에서|iPhone'umdan|iPad'imden|נשלח מה|تم الإرسال من|ส่งจาก|Küldve az)/iu,
];
const SIGNATURE_MAX_CHARS = 80;

/** Returns whether a line is one that a phone or a mail program adds below an answer. */
export function isProgramSignature(line: string): boolean {
  if (line.length > SIGNATURE_MAX_CHARS) return false;
  return (SENT_FROM.test(line) && DEVICE.test(line)) || PROGRAM_SIGNATURE.some((pattern) => pattern.test(line));
}
