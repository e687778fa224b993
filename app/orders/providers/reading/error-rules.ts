import type { Meaning } from "#app/orders/providers/conventions/error-meanings.ts";

/** `unclear`: something broke, or an order may have been made. Then nothing follows from the other words. */
export type RuleResult = Meaning | "unclear";

/** What orders are for. */
const TARGET =
  "(?:links?|urls?|user ?names?|profiles?|pages?|posts?|media|channels?|hashtags?|videos?|groups?|targets?|reels?|story|stories|photos?|tweets?|pictures?|streams?|playlists?|tracks?|usernames?|web ?sites?|domains?)";
/** What is wrong with something. */
const WRONG =
  "(?:in ?valid|incorrect|wrong|bad|broken|not|no|non|can not|unable|unsupported|private|unavailable|missing|required|requires?|empty|malformed|deleted|removed|black ?listed|blocked|banned|restricted|expired|dead|must|should|needs?|only|enter|provide|specify|valid|format|unknown|error|failed|public|closed|hidden|ended|already|check|verify)";
/** How something is switched off. */
const OFF =
  "(?:not found|not (?:be )?(?:a )?(?:valid|exist\\w{0,9}|available|active|enabled|allowed|supported|supports?|offered|provided|recogni[sz]ed|correct)|does not|do not|no longer|in ?valid|incorrect|wrong|bad|disabled?|inactive|unavailable|removed|deleted|discontinued|closed|stopped|unknown|missing|required|no such|must be|turned off|switched off|out of stock|error)";

/**
 * The rules for English texts, and for texts in any language that say that something broke, the first match counts: what may hide an order, us, another order for the link, this order,
 * now. Texts are as `plainText` returns them.
 */
export const RULES: readonly [RuleResult, RegExp][] = [
  [
    "service_paused",
    /\b(?:provider|supplier|upstream|vendor)\b[^|]{0,40}\b(?:funds?|balance|credits?|key|not configured|not set up)\b/,
  ],
  // The address of the API, or the way we call it, is wrong for every order.
  [
    "unclear",
    /\b(?:post|get) (?:method )?(?:is )?required\b|\bmethod\b[^|]{0,30}\bnot (?:allowed|supported)\b|\b(?:post|get) (?:method|requests?)\b|\bmedia type\b|\bcan not (?:post|get) (?:api|v\d)\b|\broute\b[^|]{0,30}\bnot (?:be )?found\b|\bon this server\b/,
  ],
  [
    "unclear",
    /^(?:(?:the|this|your|panel|child|error) )*(?:domain|site|web ?site) (?:name )?(?:is |was |has )?(?:not found|not registered|expired|blocked|restricted|suspended|unknown)\b/,
  ],
  [
    "unclear",
    /\btime ?d? ?out\b|\bcurl\b|\bsql ?state\b|\bdead ?lock\b|\bduplicate entry\b|\bundefined\b|\bnull\b|\bexecution time\b/,
  ],
  [
    "unclear",
    /\bexception\b|\btrace ?back\b|\bfatal\b|\bsyntax\b|\bunexpected\b|\bcan not read\b|\bjson\b|\bdatabase\b/,
  ],
  [
    "unclear",
    /\b(?:internal|server|system|network|provider|gateway|unknown|service|api) (?:server |api )?error\b|\berror with (?:the |our )?(?:service|api|provider|server)\b|\bresponse from\b|\bsomething (?:went|is|was)\b/,
  ],
  ["unclear", /\berror (?:while|occurred|processing|during|when)\b|\ban error\b|\bthere was an? \w{1,15}\b/],
  ["unclear", /\bconnect(?:ion|ing)?\b[^|]{0,30}\b(?:fail\w{0,9}|refused|reset|lost|aborted|error|problem)\b/],
  [
    "unclear",
    /\b(?:fail\w{0,9}|unable|could not|can not)\b[^|]{0,20}\b(?:connect|reach|contact)\b[^|]{0,20}\b(?:provider|server|api|supplier)\b/,
  ],
  [
    "unclear",
    /\b(?:order|request) (?:(?:id )?#?\d{1,20} )?(?:(?:has been|have been|was|is) )?(?:placed|accepted|created|received|submitted|added|saved|queued)\b(?! already)|\border (?:for|with|on) (?:\w{1,15} ){1,3}(?:accepted|created|placed|received|queued|saved)\b|\bcould not (?:be )?(?:saved?|created?|processe?d?|placed?|submit|submitted|completed?)\b|\bnot (?:created|saved)\b/,
  ],
  [
    "unclear",
    /\b(?:terjadi|ada) kesalahan\b|\bgagal (?:terhubung|menghubungi)\b|\bhata olustu\b|\bbeklenmeyen\b|\bbilinmeyen\b|\b(?:ocurrio|hubo|ocorreu|houve) (?:un|um) err?or?\b|\berro(?:r)? intern[oa]\b|\b(?:da )?xay ra loi\b|\bloi he thong\b|произошла ошибка|ошибка (?:сервера|системы)|внутренняя ошибка|неизвестная ошибка|حدث خطا|خطا غير متوقع/,
  ],
  // A statement that failed may not have been the first, and a message goes out after the order was stored.
  ["unclear", /\bcolumn\b|\bdefault value\b|\btable\b[^|]{0,60}\b(?:not exist|exists?|locked|full)\b/],
  [
    "unclear",
    /\b(?:e ?mail|notification|sms|message)\b[^|]{0,30}\b(?:could not|can not|not|fail\w{0,3})\b[^|]{0,10}\b(?:sent|send|delivered)\b|\b(?:could not|can not|fail\w{0,3} to|unable to) (?:send|deliver)\b[^|]{0,20}\b(?:e ?mail|notification|sms|message)\b|\bconfirmation (?:e ?mail|message)\b|\bbot was blocked\b|\bnot notified\b/,
  ],
  ["unclear", /^(?![^|]*\b(?:not|no|nothing)\b[^|]{0,25}\b(?:deducted|debited)\b).*\b(?:deducted|debited)\b/],
  // Our call lacks something that its provider knows by another name: the next order would fare the same.
  [
    "unclear",
    /\bmissing (?:required )?(?:fields?|parameters?|params?|arguments?)\b|\brequired (?:fields|parameters)\b|\bservice (?:id )?(?:field|and \w{1,15} (?:is|are) required|is required)\b/,
  ],

  [
    "service",
    /\b(?:not|no|without|denied|restricted|forbidden)\b[^|]{0,40}\b(?:this|that|selected|requested|the) service\b(?![^|]{0,30}\b(?:moment|now|currently|temporar\w{0,9})\b)|\bto order (?:this|the) service\b|\b(?:choose|select) (?:a|an other|another) service\b/,
  ],
  [
    "service_paused",
    /\b(?:provider|supplier|upstream|vendor)\b[^|]{0,40}\b(?:funds?|balance|credits?|key|unavailable|not available|offline|down|maintenance)\b/,
  ],

  // Funds that an earlier order lacked are not ours now.
  ["active_order", /\b(?:link|post|profile|page)\b[^|]{0,30}\b(?:ordered|order) again\b/],
  [
    "api_off",
    /\b(?:unknown|no such|in ?active|expired|suspended) panel\b|\bpanel (?:is )?(?:not found|expired|suspended)\b/,
  ],

  [
    "funds",
    /\b(?:not enough|insufficient|in sufficient|low|no|not have|lack of|do not have|does not have|not sufficient|inadequate|exceeds?|more)\b[^|]{0,30}\b(?:funds?|balance|money|credits?|wallet)\b/,
  ],
  [
    "funds",
    /\b(?:funds?|balance|credits?|wallet)\b[^|]{0,30}\b(?:not enough|insufficient|in sufficient|low|lower|less|empty|zero|exhausted|not sufficient|exceeded|negative|required|reached)\b/,
  ],
  [
    "funds",
    /\b(?:add|deposit|top ?up|recharge)\b[^|]{0,15}\b(?:funds?|balance|money|credits?|wallet|account)\b|\bpayment required\b/,
  ],
  ["funds", /\b(?:at least|need|must have|minimum)\b[^|]{0,30}\b(?:in|on|to) your (?:account|balance|wallet)\b/],
  ["key", /\bauth(?:entication|ori[sz]ation)?\b[^|]{0,15}\b(?:error|fail\w{0,9}|required|invalid)\b/],
  ["key", /\b(?:api|access|auth\w{0,9}|secret) ?(?:key|token)s?\b|\bapi id\b/],
  [
    "key",
    /\b(?:in ?valid|incorrect|wrong|bad|missing|expired|unknown|no|empty|revoked)\b[^|]{0,15}\b(?:key|token|credentials?)\b/,
  ],
  [
    "key",
    /\b(?:key|token|credentials?)\b[^|]{0,25}\b(?:in ?valid|incorrect|wrong|not|missing|expired|required|disabled|revoked)\b/,
  ],
  ["address", /\b(?:domain|host|referr?er|server)\b[^|]{0,30}\bwhite ?list/],
  [
    "address",
    /\b(?:ip|ip address|ips)\b[^|]{0,60}\b(?:not|blocked|banned|denied|white ?list\w{0,9}|forbidden|restricted|unauthori[sz]ed|unknown)\b/,
  ],
  [
    "address",
    /\b(?:not|blocked|banned|denied|white ?list\w{0,9}|forbidden|unauthori[sz]ed)\b[^|]{0,40}\b(?:ip|ip address)\b/,
  ],
  [
    "api_off",
    /\bapi\b[^|]{0,30}\b(?:disabled?|not enabled|not active|inactive|de ?activated|not allowed|not granted|not available|blocked|suspended|turned off|switched off|closed|off|revoked)\b/,
  ],
  ["api_off", /\b(?:disabled?|not allowed|no permission|not permitted|enable|activate|no access)\b[^|]{0,25}\bapi\b/],
  ["api_off", /\bnot\b[^|]{0,40}\b(?:permission|permitted|access|allowed|use)\b[^|]{0,20}\bapi\b/],
  [
    "account",
    /\byour (?:account|user) (?:was |is |has )?not (?:been )?found\b|\b(?:verify|confirm|activate) your (?:account|email|identity|phone|profile)\b/,
  ],
  [
    "account",
    /\b(?:your|you|your user|my) ?(?:account|user|profile|access|membership|reseller account)?\b[^|]{0,25}\b(?:suspended|blocked|black ?listed|banned|disabled|de ?activated|inactive|frozen|locked|terminated)\b/,
  ],
  [
    "account",
    /\byour (?:account|user|profile|email|membership)\b[^|]{0,30}\b(?:restricted|limited|not (?:active|activated|verified|approved|allowed|authori[sz]ed|confirmed))\b/,
  ],
  [
    "account",
    /(?:^|\| |error |the )(?:user|account|reseller|client|member)(?: account)?(?: is| was| has been| status is)? (?:suspended|banned|disabled|de ?activated|inactive|in active|frozen|locked|restricted|terminated|not (?:active|activated|verified|approved))\b|\baccount (?:can not|may not|is not allowed to) (?:place|make|create|submit)\b/,
  ],
  ["account", /\b(?:user|reseller|client) (?:is |was |has been )?(?:banned|suspended|blocked)\b/],
  [
    "key",
    /\bun ?auth(?:ori[sz]ed|enticated)\b|\bnot (?:authori[sz]ed|authenticated|logged in)\b|\b(?:access|permission) (?:is )?denied\b|^forbidden\b|\b(?:access|request|action) (?:is )?forbidden\b|\bauthentication\b|\blog ?in\b/,
  ],

  ["service_paused", /\borders? per (?:user|customer|account|day|hour|ip)\b|\b(?:out of|no) stock\b|\bsold out\b/],
  ["quantity", /\b(?:quantity|quantities|qty)\b/],
  [
    "link_limit",
    /\bwait\b[^|]{0,30}\b(?:\d{1,9}|before)\b[^|]{0,40}\b(?:this|same|that) (?:link|url|post|target|username|profile|page|video)\b(?![^|]{0,20}\bcomplet)/,
  ],
  [
    "link_limit",
    /\b(?:limit|maximum|max|too many)\b[^|]{0,40}\b(?:this|same|per|one|each|that) (?:link|url|post|target|username|profile|page|video)\b/,
  ],
  [
    "link_limit",
    /\bmore than \d{1,9}\b[^|]{0,20}\b(?:this|same|per|one|each|that) (?:link|url|post|target|username|profile|page|video)\b/,
  ],
  [
    "link_limit",
    /\b(?:link|url|post|target|username|profile)\b[^|]{0,30}\b(?:limit (?:reached|exceeded)|cool ?down|per day|every \d{1,9})\b/,
  ],
  [
    "rate_limit",
    /\btoo (?:many (?:(?:failed|in ?valid|bad|wrong|unsuccessful|simultaneous|concurrent|api) )?(?:requests|attempts|calls|orders)|fast|frequent\w{0,9}|often)\b|\brate ?limit\w{0,9}|\bthrottl\w{0,9}|\bslow down\b|\bflood\b|\bquota\b|\brequests? (?:limit|per)\b/,
  ],
  [
    "rate_limit",
    /\b(?:orders?|api|requests?|calls?|daily|hourly|minute)\b[^|]{0,25}\blimit\b[^|]{0,25}\b(?:exceeded|reached|hit|over)\b|\blimit (?:exceeded|reached|hit)\b/,
  ],
  ["rate_limit", /\b(?:reached|exceeded|hit|over)\b[^|]{0,30}\blimit\b|\bmax\w{0,9} [^|]{0,30}\borders\b/],
  [
    "service_paused",
    /\bservice is (?:temporarily |currently |now )?(?:running slow\w{0,9}|slow|stopped|paused|having|under|offline|down|busy|not working(?! (?:with|for|on)\b))\b|\bservice will be back\b/,
  ],

  ["busy", /\b(?:an ?other|previous) (?:transaction|payment|operation)\b(?![^|]{0,40}\b(?:link|url|post|profile)\b)/],
  ["active_order", /\balready (?:ordered|bought|purchased)\b/],
  ["active_order", /\bonly (?:one|1) active\b|\b(?:id|link|video|post) (?:is )?in process\b/],

  ["active_order", /\b(?:an|another|one) order (?:for|with|on|to) (?:this|that|the same|your) \w{1,15}/],
  [
    "active_order",
    /\b(?:active|running|pending|existing|previous|another|same|identical|ongoing|open|un ?finished|un ?completed|in ?complete|last|current|similar|duplicated?|already have an?|already an?) (?:\w{1,15} )?(?:\w{1,15} )?orders?\b/,
  ],
  [
    "active_order",
    /\border\b[^|]{0,40}\b(?:already (?:exists?|placed|active|running|in progress|created|submitted|in queue)|is (?:still )?(?:in progress|running|active|pending|processing|not (?:yet )?completed))\b/,
  ],
  [
    "active_order",
    /\b(?:link|url|username|target|profile|page|post)\b[^|]{0,30}\b(?:duplicated?|already (?:in use|exists?|used|active|submitted|ordered|added|running|processing|being|in progress|in queue|has)|currently active|is (?:being )?process\w{0,9}|is (?:in )?progress|is active|is running|in use)\b/,
  ],
  [
    "active_order",
    /\bduplicated?\b[^|]{0,20}\b(?:link|url|order|request|target|submission)\b|\bwait\b[^|]{0,40}\border\b[^|]{0,25}\b(?:complet\w{0,9}|finish\w{0,9}|done|ends?)\b|\bwait\b[^|]{0,20}\b(?:completion|previous)\b/,
  ],

  ["quantity", /\b(?:below|under|above|over|exceeds?)\b[^|]{0,15}\b(?:min|max)(?:imum|imal)?\b/],
  ["details", /\bmin (?:can not|must|should)[^|]{0,20}\bmax\b|\bmax (?:can not|must|should)[^|]{0,20}\bmin\b/],
  [
    "quantity",
    /\b(?:min|minimum|minimal|max|maximum|maximal)\b[^|]{0,25}\b(?:is|orders?|amount|count|value|number|\d{1,9})\b/,
  ],
  ["quantity", /\border\b[^|]{0,20}\b(?:between|at least|minimum|maximum) \d/],
  [
    "quantity",
    /\b(?:amount|count|number)\b[^|]{0,25}\b(?:less|more|greater|lower|higher|between|too|at least|minim\w{0,9}|maxim\w{0,9}|in ?valid|incorrect|multiple)\b/,
  ],
  [
    "details",
    /\b(?:comments?|key ?words?|usernames|mentions?|emojis?|answers?|polls?|drip ?feed|runs?|intervals?|delay|expiry|country|countries|emails?|reviews?|hash ?tags|groups|device|traffic|referr\w{1,15}|custom data|schedule\w{0,9}|posts (?:count|number))\b[^|]{0,50}\b(?:in ?valid|incorrect|wrong|bad|not|no|missing|required|requires?|empty|must|should|too|duplicates?|duplicated|only|allowed|supported|disabled|needs?|cannot|error|less|more|between|at least|format|contains?)\b/,
  ],
  [
    "details",
    /\b(?:in ?valid|incorrect|wrong|bad|not|no|missing|required|requires?|empty|must|too (?:many|few|long|short)|enter|provide|specify|error|duplicate)\b[^|]{0,30}\b(?:comments?|key ?words?|usernames|mentions?|emojis?|answer|poll|drip ?feed|runs?|interval|delay|expiry|country|emails?|reviews?|device|traffic|referr\w{1,15}|schedule\w{0,9})\b/,
  ],
  ["busy", /^service unavailable$/],
  [
    "service_paused",
    /\b(?:service|package)\b[^|]{0,50}\b(?:temporar\w{0,9}|maintenance|moment|paused|currently|right now|for now|busy|overload\w{0,9}|updating|on hold|until)\b/,
  ],
  ["service_paused", /\b(?:temporar\w{0,9}|currently|at the moment|paused)\b[^|]{0,40}\b(?:service|package)\b/],
  [
    "service",
    new RegExp(
      `\\b(?:services?|packages?|products?)\\b[^|]{0,50}\\b${OFF}\\b|\\b${OFF}\\b[^|]{0,30}\\b(?:services?|packages?|products?)\\b`,
    ),
  ],
  // A date from which on it takes the order. "Order accepted after …" has more words in between.
  ["service_paused", /^(?:order|schedule)(?: or (?:order|schedule))? after \d/],
  // The panel can't look at the link now. It says nothing of the link.
  [
    "service_paused",
    new RegExp(
      `\\b(?:can not|could not|unable to|fail\\w{0,3}(?: to)?|check)\\b[^|]{0,20}\\b${TARGET}\\b[^|]{0,30}\\b(?:temporar\\w{0,9}|(?:at the|this) moment|right now|for now)\\b|\\b${TARGET} (?:check|verification|parser)\\b[^|]{0,30}\\b(?:temporar\\w{0,9}|unavailable|moment|now)\\b`,
    ),
  ],
  // What the link is, or how long, is said in an error only where the service doesn't take it.
  [
    "target",
    /\bvideos? (?:is |are )?(?:under|over|below|above|(?:short|long)er than|(?:less|more) than) \d{1,5} ?(?:s|sec|seconds?|m|min|minutes?|h|hours?)\b|\b(?:video|link|url|post) is an? (?:live ?stream|live|premiere|short|reel|story|playlist)\b/,
  ],
  ["target", new RegExp(`\\b${TARGET}\\b[^|]{0,50}\\b${WRONG}\\b|\\b${WRONG}\\b[^|]{0,50}\\b${TARGET}\\b`)],
  [
    "target",
    /\baccounts?\b[^|]{0,30}\b(?:private|not found|can not be found|not exist|does not exists?|no longer|closed|not public|deleted|no posts|hidden|public)\b|\bprivate (?:accounts?|users?)\b/,
  ],
  [
    "target",
    /\busers?\b[^|]{0,30}\b(?:private|no posts|hidden|on (?:instagram|tik ?tok|you ?tube|twitter|facebook|telegram|threads|twitch|spotify|snap ?chat))\b/,
  ],
  [
    "target",
    /(?:^|order |\| )error (?:link|url|username|target)\b|\bcontent (?:is )?(?:not|black|prohibited|forbidden)\b/,
  ],

  [
    "maintenance",
    /\bmaintenance\b|\bmaintain\w{0,9}\b|\bundergoing\b|\bupgrad\w{1,15}\b|\bupdating\b|\bnot accept\w{0,3}\b[^|]{0,20}\borders\b|\bwe\b[^|]{0,60}\b(?:will|ll) be back\b|\bback online\b|\b(?:orders|ordering|panel|system|site|platform)\b[^|]{0,40}\b(?:disabled|closed|paused|stopped|turned off|off|not accept\w{0,9}|suspended|unavailable|not available)\b/,
  ],
  ["busy", /\btemporar\w{0,9}|\boverload\w{0,9}|\bbusy\b|\bcapacity\b|\bhigh (?:load|traffic|demand)\b|\bwait\b/],
];
