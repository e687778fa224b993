import type { Meaning } from "#app/orders/providers/conventions/error-meanings.ts";

/**
 * The rules for texts in other languages of panels: Indonesian, Vietnamese, Turkish, Russian, Spanish,
 * Portuguese and Arabic. They say only what is plain, and are asked after the English ones. Texts have no accents then, so
 * "й" is "и", and `\w` is no letter of Cyrillic.
 */
export const RULES_ABROAD: readonly [Meaning, RegExp][] = [
  ["key", /\bnguoi dung khong ton tai\b/],
  ["busy", /\bqua tai\b/],
  ["key", /\bvui long dang nhap\b|\biniciar sesion\b|\binicia sesion\b/],
  // Funds that the panel lacks at its own supplier.
  [
    "service_paused",
    /\b(?:provider|proveedor|provedor|fornecedor)\b[^|]{0,30}\b(?:saldo|fondos|fundos)\b|\bsaldo (?:do|del|di) (?:provider|proveedor|provedor|fornecedor)\b|\bsaglayici\w{0,9} bakiye|رصيد المزود/,
  ],
  [
    "service_paused",
    /\btam (?:dung|ngung)\b|\bservis\w{0,3}\b[^|]{0,20}\b(?:su an\w{0,3}|gecici\w{0,6}|simdilik)\b|\blayanan\b[^|]{0,50}\bsementara\b|(?:услуг|сервис)[^|]{0,20}временно|\b(?:servicos?|servicios?)\b[^|]{0,30}\b(?:no momento|momentaneamente|temporariamente|temporalmente|(?:por el|en este) momento)\b/,
  ],
  [
    "funds",
    /\bkhong du\b[^|]{0,10}\bso du\b|\bkhong du\b[^|]{0,30}\bde mua\b|رصيد[^|]{0,20}(?:غير|لا يكفي|ناقص|منخفض)|(?:غير كاف|لا يوجد)[^|]{0,15}رصيد/,
  ],
  ["key", /مفتاح[^|]{0,20}(?:غير|خاط|خطا)/],
  [
    "active_order",
    /\bdang chay\b[^|]{0,15}\bdon\b|\btrung (?:link|lien ket|don)\b|(?:لديك|يوجد)[^|]{0,10}طلب[^|]{0,20}(?:نشط|قيد|سابق)/,
  ],
  ["service", /\btidak ada (?:layanan|service)\b|خدم[ةه][^|]{0,25}(?:غير|معطل|متوقف)/],
  ["quantity", /الكمي[ةه]/],
  [
    "target",
    /\b(?:enlace|link|perfil|url)\b[^|]{0,15}\b(?:no|nao) (?:es|e|esta) (?:valid|public)|رابط[^|]{0,20}(?:غير|خاط|خطا)|الحساب[^|]{0,10}خاص/,
  ],
  [
    "funds",
    /\bsaldo\b[^|]{0,30}\b(?:tidak|kurang|belum|insuficiente|habis)\b|\binsuficiente\b[^|]{0,20}\b(?:saldo|fondos|credito)/,
  ],
  [
    "funds",
    /\b(?:fondos|fundos)\b[^|]{0,15}\binsuficientes\b|\bso du\b[^|]{0,20}\bkhong\b|\bbakiye\w{0,9}\b[^|]{0,20}\b(?:yetersiz|yok)|\byetersiz bakiye|\bdusuk (?:butce|bakiye)\b/,
  ],
  ["funds", /(?:недостаточно|не хватает)[^|]{0,20}(?:средств|баланс|денег)|баланс[^|]{0,20}недостаточ/],
  [
    "key",
    /\b(?:key|token|clave|chave|kunci|anahtar\w{0,9})\b[^|]{0,25}\b(?:salah|tidak|khong|invalid[ao]|incorrect[ao]|gecersiz|hatali)\b|\b(?:gecersiz|hatali)\b[^|]{0,10}\b(?:api|anahtar)/,
  ],
  ["key", /неверн\w{0,9}[^|]{0,10}(?:ключ|api)|неверны\w{0,5}[^|]{0,10}ключ/],
  [
    "account",
    /\bakun (?:anda|kamu)\b[^|]{0,25}\b(?:nonaktif|dinonaktifkan|diblokir|tidak aktif|ditangguhkan)\b|\btai khoan\b[^|]{0,20}\b(?:khoa|cam)\b|\bkhoa tai khoan\b|\bhesabiniz\b[^|]{0,20}\b(?:askiya|engellen\w{0,9}|yasakla\w{0,9})/,
  ],
  [
    "account",
    /\b(?:su|sua|tu) (?:cuenta|conta)\b[^|]{0,20}\b(?:suspendid[ao]|bloquead[ao]|desactivad[ao]|desativad[ao])\b|аккаунт[^|]{0,20}(?:заблокирован|отключ)|ваш аккаунт[^|]{0,20}(?:закрыт|удален|не актив)/,
  ],
  [
    "address",
    /\bip\b[^|]{0,25}\b(?:tidak|khong|izin|no permitid[ao]|nao permitid[ao]|engellen\w{0,9})\b|\bip\b[^|]{0,20}(?:не разреш|заблокирован)/,
  ],
  [
    "active_order",
    /\bpesanan\b[^|]{0,30}\b(?:sebelumnya|sama|aktif)\b|\b(?:masih ada|sudah ada) pesanan\b|\bdon hang\b[^|]{0,20}\b(?:dang chay|dang xu ly|da ton tai|truoc)\b|\baktif (?:bir )?siparis/,
  ],
  [
    "active_order",
    /\bpedido (?:activo|ativo|en curso|em andamento|pendiente|pendente)\b|(?:уже есть|есть активныи|активныи)[^|]{0,20}заказ|ссылк[^|]{0,15}дублир/,
  ],
  [
    "service_paused",
    /\b(?:layanan|dich vu|servis|servicio|servico)\b[^|]{0,25}\b(?:perbaikan|gangguan|bao tri|bakim\w{0,9}|sementara|mantenimiento|manutencao)\b/,
  ],
  [
    "service",
    /\b(?:layanan|dich vu|server|servis|service|servicios?|servicos?)\b[^|]{0,25}\b(?:tidak (?:\w{1,15} )?(?:ditemukan|tersedia|aktif|ada|valid|terdaftar|dikenal|support|mendukung|sesuai|bisa)|khong (?:\w{1,9} )?(?:ton tai|tim thay|hop le|kha dung|hoat dong|ho tro|co)|nonaktif|bulunamadi|aktif degil|pasif|kapali|no (?:es|esta|existe|encontrad[ao]|valid[ao]|disponible|activ[ao]|hay)|nao (?:foi )?(?:encontrad[ao]|existe|disponivel|ativ[ao]|habilitad[ao]|e valid[ao]|esta|ha|suporta)|indisponivel|invalid[ao]|inactiv[ao]|inativ[ao])\b|\bgecersiz servis/,
  ],
  ["service", /услуг[^|]{0,30}(?:не наиден|недоступ|отключен|не существ|не предоставл)/],
  [
    "quantity",
    /\b(?:jumlah|so luong|miktar|cantidad|quantidade)\b|\b(?:minimal|maksimal|min|maks|minimum|maksimum|minimo|maximo)\b[^|]{0,15}\b(?:pesanan|pemesanan|order|siparis|pedido)\b|количеств|диапазон/,
  ],
  [
    "target",
    /\b(?:target|tujuan|link|lien ket|enlace|baglanti|url|username)\b[^|]{0,25}\b(?:tidak|salah|khong|invalid[ao]|incorrect[ao]|gecersiz|hatali|privad[ao]|gizli)\b|\b(?:gecersiz|hatali)\b[^|]{0,10}\b(?:link|baglanti|url)|\bvui long nhap (?:lien ket|link)\b|\b(?:servicio|servico|enlace|link) (?:es |e )?(?:solo|solamente|unicamente|somente|apenas) para\b|\bingres\w{1,4} solo el (?:nombre de usuario|enlace|link)\b/,
  ],
  [
    "target",
    /(?:ссылк|профил|аккаунт)[^|]{0,25}(?:невер|некоррект|недеиств|закрыт|не наиден|приват)|(?:невер|некоррект|недеиств)[^|]{0,14}ссылк|(?:указать|укажите|введите) ссылк/,
  ],
  [
    "details",
    /\b(?:komentar|binh luan|yorum\w{0,9}|comentarios?)\b[^|]{0,25}\b(?:tidak|kosong|khong|bos|vaci[ao]s?|vazi[ao]s?|requerid[ao]s?|wajib)\b|комментари/,
  ],
  [
    "maintenance",
    /\b(?:pemeliharaan|perbaikan|bao tri|bakim\w{0,9}|mantenimiento|manutencao)\b|технически\w{1,3} работ/,
  ],
  [
    "rate_limit",
    /\b(?:terlalu (?:banyak|sering|cepat)|qua nhieu|cok fazla|demasiad[ao]s|muit[ao]s) |слишком (?:много|часто)/,
  ],
];
