-- SPDX-License-Identifier: Apache-2.0
-- Schema 8: as the program of commit a658c2f left it when it was killed with work under way.
-- client_id phc_92zx1_hIySaQqYVrp3LYY_JO
-- client_secret phs_dYV8rtdU-0WVlAxDJosIlIxTza-dETRGPM5vjy5tlkb
BEGIN TRANSACTION;
CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	connection_id TEXT NOT NULL,
	platform_account_id TEXT NOT NULL,
	username TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	avatar_url TEXT NOT NULL,
	type TEXT NOT NULL,
	state TEXT NOT NULL
		CHECK (state IN ('active', 'expiring', 'reauth_required', 'disconnected')),
	access_token_sealed BLOB NOT NULL,
	refresh_token_sealed BLOB NOT NULL,
	extra TEXT NOT NULL,
	extra_sealed BLOB NOT NULL,
	scopes TEXT NOT NULL,
	expires_at_us BIGINT NOT NULL,
	refresh_expires_at_us BIGINT NOT NULL,
	token_version BIGINT NOT NULL,
	last_refresh_at_us BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL, is_unconfirmed BIGINT NOT NULL DEFAULT 0,
	UNIQUE (app_id, user_id, platform, platform_account_id)
);
INSERT INTO "accounts" VALUES('01a205c7-9e08-7067-ae85-a8dc88d8ae46','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'user-1','conn_e04df6713f5acb7b5c1934945023d32e','1790000000000000123','jodoe','Jo Doe','','http://sandbox.example/pbs.twimg.com/profile_images/1/jodoe_normal.jpg','personal','active',X'01441EDC56D6C6F4F4CF302E03E89835955ABC3306792FBBDA79F93DF4CC7C7F02318E08B5AC2D7FB96E582B93D7F7902516BD7048273E7B3028D14ABF460F17F904D6EAC3508E1D8F6784E7F2CA10D504953889DE6D327DD5EF37EF7C8B0AECDAFC53CDCC6A20AC772DA9097A2E5E248AF5CE78EDBF5D9BE9975BDAE3EB11C1B29FF4E4E4B62E90F4',X'01441EDC56406775EB53AAE4DDFA1688619D77EAA0F7618284D8885AC2C5E7A92BF1583F54E1AEDF757D5C7898CC4901A3E5A79A1E563A8D9AB2A65E9C023691E337040628E718C16DEEFAEB6F1C1ADE491135B79A3CEF8FC15BD3D75EE3C86F554D6AEF108DFF7653B6A96A35CFF38AC06C3FEF4333DA33ADAF988B0E4D4D41F8F9CABEA78AC3B864','{"subscription_type":"None","verified_type":"none"}',X'','tweet.read tweet.write users.read media.write offline.access',1795400497926916,0,1,0,'',1795393297928782,1795393297928782,0);
INSERT INTO "accounts" VALUES('01a205c7-9e42-76ba-8681-aa19715d904c','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'user-1','conn_79fbd72a56961bc4dff31187f013ae55','105312345678901234','harbourbakery','Harbour Bakery','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/H','page','active',X'01441EDC56971D2F385D7221566622191075A76BCAB46631B75749BF9A0BAC5425DD9FBC1B32C3EB00BA53025EE26613407CD10B0AD49492B46CDCEE28A5324C572184E69BE8D4CD46DD58BD0FFF48685D82E81553E4D92D1824C95601BDA1390D29B43623541DC52CD39C35A5BBA7817A7E621E10C46955654DAD5974CCA86AFADF72A9714B10C7977D330844BD15C047208B8BC135880EDE2DD69FF42517D247143385CC3B9CFCB34DFE32F6B8A37C90B1C83A3C350865AB00DC13EB1E67EA9A72CC89610E111D1E77EA16428000CD850DE9EB5A23416D2E1F70B09CAEE45A85CEF14B96D01BD692E58E71E791',X'','{"user_id":"10229384756102938","data_access_expires_at":"2027-02-21T00:21:37Z"}',X'01441EDC5651DED8458F8E25EDB763C299F9188F2F46983837560116BB322911445A0F3847E99362C3BF663065BD7006EFCB3E2E392383D18E20AB6C43072291D6C9259DEFB5F79726029AD661066A347FB4C59606307B68EFA7984AB54F03977E11A127C75BEF4E72EB10D72C3C9F7024534EBAF7B8E2CE935DD9E61CD0E042140755EC39FACBEEB4EABBDEEA3EA948785D0E59556424661B7082E74062B0F70E2D85D8729273EF70B5893614DC8EA6A7C61A617EE82032B32E971D06C39CBDE94FE56E2F138A0CA064CF5CAC0ECFC7D4B07D351B873CF8D3D3B5D4907B706C4C22BF12','public_profile,pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,business_management',0,0,1,0,'',1795393297986346,1795393297986346,0);
INSERT INTO "accounts" VALUES('01a205c7-9e42-7426-bb35-9122caa8490f','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'user-1','conn_79fbd72a56961bc4dff31187f013ae55','107398765432109876','107398765432109876','Lighthouse Books','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/L','page','active',X'01441EDC5628D55D26A6FFDC15336CCCF99ECD537A9E91830C7842A7B900BAD04F74E81952A4004DB16120D149A753CDED4C7C5C7B46120D4AB410F9666FCBBBE0E0D93D44D16D4664DF42A00A0775C90549EAB7EA3C578AC5A030C3F4F39EB147C560FB785E4F3E33C4EDC927DD66807A2CD19E2216495FF7FA1AF73AEE8516D10E97FA3C4D9E2668889D77113F0DECF59218D3FFF310E21436C7043313EE418EFCF959282D165E527BE44A199AE911E4A446FEA2AA05D4133871C455CF9F485275A48A3EA085ECB9910736D3774165C72418A229F9E707DE55A01EE98F7E7D076E3A4F4C591BDAD1FC2B6CA62B',X'','{"user_id":"10229384756102938","data_access_expires_at":"2027-02-21T00:21:37Z"}',X'01441EDC56A1CD0394739AD79998D9548DA4C642FBD55EEBDC121E6B060E87BDA1B473432DAC4C7AB3F220821336A36E4070C74E144B648CDB86231B2EC074AD47736D3B78C3EA511036F8464684BC9BA83BE31564318B916C5B8048EB2436039E831664FF3865D9EC9EC119985FC9935C49A52E77995D7DB899D36DFD3084258B40FA7044499F38AC39EC65C1830A0462248CC2680F86465CF9C1FA08FEBFB01D5328F4B8ADF1565680BEA801994D2ABB45961D8F7E397CFECE179DE69A1C95D86A13018FAE75547C9EC25F1885ACC70399B5167F9EEB879670DAD29A013E68F0856FEB','public_profile,pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,business_management',0,0,1,0,'',1795393297986346,1795393297986346,0);
INSERT INTO "accounts" VALUES('01a205c7-9e67-7fee-9c4d-814c1d569a8d','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',4,'user-1','conn_943e9f4989f8f9c5cd580cccf6e27cc9','sbJo_Doe42','jo.doe','Jo Doe','jo.doe@example.com','http://sandbox.example/media.licdn.com/dms/image/member','personal','active',X'01441EDC56D26067B2859E1FCB59B3E58D6B984588A0E127C29F58258EE75D93D5FAB846D1E231FACAB8D8FC34D865C36915D813AE9360E20B1324211586399820808295279EC8926C3EAECE0A4953DDDF4EBAF340450A767C2C751B6A2C95365B6853C10C0D99872EECFB1684304541272A278BFFD0D39406B7AA5931E64B83ABEB5E62E09F233F786EC4B68CB5CF9145C7D58D2A918A097212F764CD0CF2E1E9EE84A84AEB7A7EE984726DF670361280AE220DCA26CEC055EA634857E41E920DC2C215F3344D285AB7AB2AC03128EB8CC389B25B7D1DDCD00F245C077906D2284B541DC97980DC25B6923B76841FEC0581288730E8EF6C630F627775241C5754CDB31595B1004F2F1AB0CADA0A938F272DD8F4D82E5023431F4BD590B076824F04C38E6CE39360E897318B148E87A0B9486D32C6C8E107EC861FD01C21AF792E434C696922DB4F9B4691A9D298B18C0A98B9BD20F7147D5964A1D6EBECF5D1E2B58DF849A2DAD66AA149582420784F139FDB6D6639664E379CA9B063CBF5852189490F73A1433AA37B8A486A35CBD5A033E3E0E426B2E48807DFB773E543B3729AD00A78DEA4A737F72371F1F1ED55EA06D993D3E8C99F225E4F2F1A08F1DC165F2E4E31F04293C2B89EF48C7A4A3C1A41ACE99C387657B7E407E8920644EA0B729151FC35B784CDC75A32FDFB7BC343AD815A19AAA8311605F06C38C9C733D542C913917AD50FBE6C626F74C4037967442D632B49CBCCE8D4D6E70A9406869B',X'01441EDC5657379AA1F718F77B97DF582C64EAF48714D1386206A386B0517865EA705BDC1CA302F15F75E487360B9DE21C51A547044295F2C858A42ABA1EF9B4559B19BD1F834CB769385FB66EDCEBC8E87DF621ADA5400E42FEC780B0ECA5F4ACF4FCD41ADE9584C13B807E46DACE3F2D0D435C1E4EE54E875D7FC13B619864415B14F3AE3A436B99F2CCF5A890F4133E92CF725EC7117D913BEE0AC1F0B2C6FD0E9F3C7BE3F3AFF5E1B3B2D3E21B3368613DC580281A102E854B2B316911B43151415B604DEFF6A0546877565D76A9221B84D94A82D60CF378FDFFAF895A2F00E3143BB95FB9F390947F447EC5020A93318ADE6625F6348C5EEF27B6D604047D01DF7CBE2D38868D5034FEC9BEA47A5C751C8B846B2DB34269A383C8AA7E4EC36A9243171FC5DF096CEE6025B93483766A6AB60FB830617C5E3501A0353A499003357A1B24654D0514E0A5164507D28A6254415A48AB1AF4E5AE55375B5D4677F4DEFC80B9BA6515E7C77D3818AA542C6A4C526028EAFAB46B2C721FEC7C01B0EEF5511FD5C7A2DCB78EF6522E2BFBBBBE17904941EDA6008B039A40BC0CFBF846AADDE55B4E89DA2920847A49B57C63CB10EACBC60F81A2D5C9C8639448F673F02C79EE1B25814612B21DECE9642439A19A1FF785DBBC8A6D0255DE5CE5B67156B9C4D9E3A95294D9E0A7DFA215CB8A9F6FF5FAE2D3932AED5488CC382DEDD81DD30E19F37372883639EBC15CB329CA287DCA76DA388323DA3CF62AA8B624E2','',X'','email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,w_organization_social',1800577298008681,1826929298008681,1,0,'',1795393298023665,1795393298023665,0);
INSERT INTO "accounts" VALUES('01a205c7-9e67-7d93-899d-b8adcd2142df','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',4,'user-1','conn_943e9f4989f8f9c5cd580cccf6e27cc9','1000001','posthorn-sandbox','Posthorn Sandbox Inc.','','http://sandbox.example/media.licdn.com/dms/image/page','organization','active',X'01441EDC563A91024295C1484B209C7200CDD25A4EFEC1C3F58C96567EDA6E69C91677EE22769A110E899AFF85463747B769625D22300AF07738795A8E20AE8843E87F74FEF26BEDBF6150846CE37911112F9EA73401C2566A7EB56AB2E3CFCEDC72DE8FF543E139E81BFDF44E86323C3141395C89C2577286FCA7002FE54689222E7DF1F18EC9A032387BEFBBEED9034A26C29C7916908FAF306B85878A9FBD076195944032E916007B7EF8B236092BC8171FB205D61E8D16F4BF1FCDB09A17DE52CC0471C95A9B83EA7997DB44776BC2860170027315901F9A9EB1BBD625BE8EFC66D9B596EAA479EEC7DFAD2752365E4862C4142423B0D790AECF82FC89820C8706C0B1AB74115DAFBD7112A8D30D5E2E28357C97CEFCBC4CB9FDB77E8F9E0785B5AF362245CBA0DE9A0732A50179136919D369171B9544993DA851789D8AAC0B779F077BBC30007E3B103FDED24FD04D4A895CBE892C2238E9574F5A38CBAADD23B9D3E15D7E47284D96727EA557D09A9D964C427224258F9E72B91477607DB29069B7C5C94F2046AB249DDEDB00543D1130F5707A4B1BB42BE5EB38F81F46B5C84AE1605A0DD5D75D9A9DF15B37DF518E6824C122347257CCAA04293732AD8B1179D9E4152386EAA191ABAD1F1B07452D1239371683DE8122018983DD442F11E39592005ABA38BB16346A72001B044FAC90531E231F31046EF2EF2D78BE3D42A57BC47697A753D676511ED3C5A661494852A4C32193967BED6FC836A2B1BD',X'01441EDC561C14EECB44008B19307B0C0F86DF5ACDE465203EF05C63C3E1EFB6B7AC0949BF0B20742B6A39D901513287B08C3F85EA1319443DF33CAFF1E320DA51339D95D73F637516274BF6E51928EC898A8DAEF2618AC66D4A4E0FC11171FF84770C0446C8733F8C79E43B741561CFF49CFBA6272CDC6D974B2985D8E1764C1192FE0285D45FA8E7E807B753F16D9A96AB4DA35572F3233AD6E84A9E8F634E9A5EC8241652D7711A43ABE56CE12BCF6BAEFFC229BB854084AB61B09B77720C0D64AB9BD50A314AFDCB8BAA9E1B93595E5B818BA4CC25541BB1C128A42FBA695CAAEEE63DC178D95BF90AA4077C5C6A3C3DA670A58CA54ECC583D32A3D5A4170E6A9371CB33C4B69551A8AE582EA846D2554D002DDB1D8DBF75443353B95984176EC355AFD1120D64ECEDF4765C3B8BFBFC6670084EFF3B0B6501D1F90F091A5B96791AFC11987E552AE930B320841751C1344FDE3438DC8C9C5504568BF29987A35B8C87C53FC79C93E9AEF41E9C798DFB544AA01E78F0688E494E5F647B0C00DBF472B538D7FD2DC736BD22889B539F9BC98F519A699613D84668524790E42630EB05AE55F94329A7ECB30000583E44BABD2BF555E520EB14AC8FEE28BB353AFBD92CAC5B381FD1CDF425799DF02370F10FD05A627F8865E1E51B477A8A2225A2D8387F5989678915BD115A15D7318AB620F164B9AADA80AF77DE782AC2497809A6EEECF994B20A127D6E5578957C24B54C667008301576417A7CBF0199F526','',X'','email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,w_organization_social',1800577298008681,1826929298008681,1,0,'',1795393298023665,1795393298023665,0);
INSERT INTO "accounts" VALUES('01a205c7-9ebb-7bc7-8702-cbea7cd409db','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'user-1','conn_d594de0ba783e5252f75a14b3c9827bf','17841405822304914','harbour.bakery','Harbour Bakery','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/h','business','active',X'01441EDC56216DBB017C18A360072A02FED39EDB54DCC9DB5FA590988794D5BDDD8A21AB9CD86C9938E72842036D6630E0F18F33716D72DE9F492E317F677D600257C6C106B0FE4996D1583E00C04337B7EA4CC9473B35079CE222D52628DB740159FB48AD2A89AAD13901189AC55B40BEF4CFB28864B2391A56B37194F608442BC52A0460F6AE3B67D01FAA7BAFBEC3368D17A196361D629B8B0E785040241EC7D9F6E9C7AE8380C2CA30D8F0130F7F3E948FEACE9765F92C48C337F34880B58272749FC87DBD81181B78CDD0D1EF359564EBD4A2AB1DB0F20791FEFA0069BBE0127A0BCA45BEE916C323FA6576',X'','{"user_id":"10229384756102938","page_id":"105312345678901234","data_access_expires_at":"2027-02-21T00:21:38Z","publishing_quota":{"used":0,"total":100,"asked_at":"2026-11-23T00:21:41.341288Z"}}',X'01441EDC56DAB8EF5A02D22E1D671C43A44225626C8C111A5896777762D032C426D56A7F52C26780B8EFDD4646F98438407C28B9074E5A3890D01122EF752F594FFD364FB432303BBA7BBF94B3328AE0C45E850082AF9633AAADFEED068524110A8F1DC84E8591E5BB9AECA73AF9CE88C5A752A53F7E77F9FED7102D76AF2A2C04F8EEC73FFDC037DFE19E0697B4154E580E0B11FF6BAC61EC6D53FA1224497D540D47E3FC6446212CC64BE3FEFA0B694BF1A612A0CBB143B8C613E702D79B17F39C21F3828253A21FE3F8681021E2F0FC04A3244A1EEDDCC6C1C7AB881C12117732BB8C','public_profile,instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement,business_management',0,0,1,0,'',1795393298107349,1795393301341288,0);
INSERT INTO "accounts" VALUES('01a205c7-9ebb-702c-bc52-7fb7bbdf1395','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'user-1','conn_d594de0ba783e5252f75a14b3c9827bf','17841409876543210','lighthouse.books','lighthouse.books','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/l','business','active',X'01441EDC56CFFFA0EC0EECB1FE929872D82B2B0F8AB9C33779A298559C2D986BEA4D8F7646189582E1146F8DBC814D1BF2D403DF1DF785A5A2216C0B78ACFED243E880CD3427674251EB625C23B225917C5092D4D961EBB2C963A919FAE8BC0D2D76E761237D951CB6669300B02CBD14CB4C37E23EE474ED3EA0A03E6216528B6ABE4113553FF5D0DA4E2D568A95FDEB335D3DF9DD77DB9E2AA9A6B1270F505242174141657A71BFE6A5CD13A092C258986CF2B164D07CB1DEC89687ED165D29D710161CE5F3876B603FEED3044FCE6271A4109D3FEA8F35752C3FDE29DE8313D1F93C0FB04CA47A0FEDDC138CB6',X'','{"user_id":"10229384756102938","page_id":"107398765432109876","data_access_expires_at":"2027-02-21T00:21:38Z"}',X'01441EDC569546165F74EA5AEE6DAB82AED77EA5A95037120BF91C32FD3DA1C63C922700C539E002080748208ADE7CEA29B04DFD7E5E2C9F0E19CA9088F744B956295BFEF2D72A9342F2F601865F2CEE3031680079A4D3DA614D9BAC97B5242BE8FF5337BF054D5F354CCD7A5549E837BEAAFB5F4AAB29040F80A224F010F424846DAEF53FD39CC0EF2F8A01B1804CEB9C784F34A4F2626D8C34B40732D17994AA027E9C02ECF60F46D65E2107F47F176A9D5BC6DCD529D9F25345C0A48FFFF4A72A2C2CEC9A2EC5A92916EAB1014D3036AACF455BE6C37765910EBDF35043CABC0F15D6','public_profile,instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement,business_management',0,0,1,0,'',1795393298107349,1795393298107349,0);
CREATE TABLE admins (
	id TEXT NOT NULL PRIMARY KEY,
	email TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	created_at_us BIGINT NOT NULL
);
INSERT INTO "admins" VALUES('01a205c7-9d56-73d5-b971-bc6ac6093889','owner@old.example','',1795393297750251);
CREATE TABLE alarms (
	name TEXT NOT NULL PRIMARY KEY,
	message TEXT NOT NULL,
	first_at_us BIGINT NOT NULL,
	last_at_us BIGINT NOT NULL,
	times BIGINT NOT NULL
);
CREATE TABLE app_tokens (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	token_hash TEXT NOT NULL UNIQUE,
	expires_at_us BIGINT NOT NULL,
	issued_at_us BIGINT NOT NULL
);
INSERT INTO "app_tokens" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0','aa6f8a44763309ca12aa177179ec1c621810de032b2fd84cc59387d03abb726f',1826929297879825,1795393297879825);
CREATE TABLE app_work (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	is_paused BIGINT NOT NULL CHECK (is_paused IN (0, 1)),
	next_due_us BIGINT NOT NULL,
	scheduled_count BIGINT NOT NULL CHECK (scheduled_count >= 0),
	last_ordinal BIGINT NOT NULL,
	last_created_at_us BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO "app_work" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,1795393306394509,3,9,1795393301335202);
CREATE TABLE apps (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	client_id TEXT NOT NULL UNIQUE,
	client_secret_hash TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('draft', 'active', 'suspended')),
	owner_id TEXT NOT NULL,
	redirect_urls TEXT NOT NULL,
	retry_unknown_once BIGINT NOT NULL CHECK (retry_unknown_once IN (0, 1)),
	connect_confirmation BIGINT NOT NULL CHECK (connect_confirmation IN (0, 1)),
	created_at_us BIGINT NOT NULL
);
INSERT INTO "apps" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0','Old app','phc_92zx1_hIySaQqYVrp3LYY_JO','8a7a4fa3a25e009261949a6d8f3520aafb3a9652777851b92b6741efafc0e906','active','01a205c7-9d56-73d5-b971-bc6ac6093889','',0,0,1795393297750251);
CREATE TABLE connection_accounts (
	connection_id TEXT NOT NULL REFERENCES connections (id),
	ordinal BIGINT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	PRIMARY KEY (connection_id, ordinal)
) WITHOUT ROWID;
INSERT INTO "connection_accounts" VALUES('conn_79fbd72a56961bc4dff31187f013ae55',0,'01a205c7-9e42-76ba-8681-aa19715d904c');
INSERT INTO "connection_accounts" VALUES('conn_79fbd72a56961bc4dff31187f013ae55',1,'01a205c7-9e42-7426-bb35-9122caa8490f');
INSERT INTO "connection_accounts" VALUES('conn_943e9f4989f8f9c5cd580cccf6e27cc9',0,'01a205c7-9e67-7fee-9c4d-814c1d569a8d');
INSERT INTO "connection_accounts" VALUES('conn_943e9f4989f8f9c5cd580cccf6e27cc9',1,'01a205c7-9e67-7d93-899d-b8adcd2142df');
INSERT INTO "connection_accounts" VALUES('conn_d594de0ba783e5252f75a14b3c9827bf',0,'01a205c7-9ebb-7bc7-8702-cbea7cd409db');
INSERT INTO "connection_accounts" VALUES('conn_d594de0ba783e5252f75a14b3c9827bf',1,'01a205c7-9ebb-702c-bc52-7fb7bbdf1395');
INSERT INTO "connection_accounts" VALUES('conn_e04df6713f5acb7b5c1934945023d32e',0,'01a205c7-9e08-7067-ae85-a8dc88d8ae46');
CREATE TABLE connections (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	redirect_url TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	state_hash TEXT NOT NULL,
	callback_url TEXT NOT NULL,
	pkce_sealed BLOB NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'success', 'failed')),
	error TEXT NOT NULL,
	error_description TEXT NOT NULL,
	code_sealed BLOB NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed BLOB NOT NULL,
	created_at_us BIGINT NOT NULL,
	finished_at_us BIGINT NOT NULL
, confirm_hash TEXT NOT NULL DEFAULT '', node_id TEXT NOT NULL DEFAULT '');
INSERT INTO "connections" VALUES('conn_e04df6713f5acb7b5c1934945023d32e','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/x/callback',X'','success','','',X'','',X'',1795393297912075,1795393297928782,'','');
INSERT INTO "connections" VALUES('conn_79fbd72a56961bc4dff31187f013ae55','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/facebook/callback',X'','success','','',X'','',X'',1795393297949480,1795393297986346,'','');
INSERT INTO "connections" VALUES('conn_943e9f4989f8f9c5cd580cccf6e27cc9','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',4,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/linkedin/callback',X'','success','','',X'','',X'',1795393297997385,1795393298023665,'','');
INSERT INTO "connections" VALUES('conn_d594de0ba783e5252f75a14b3c9827bf','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/instagram/callback',X'','success','','',X'','',X'',1795393298037326,1795393298107349,'','');
CREATE TABLE counters (
	app_id TEXT NOT NULL,
	scale BIGINT NOT NULL,
	status TEXT NOT NULL,
	bucket BIGINT NOT NULL,
	count BIGINT NOT NULL CHECK (count >= 0),
	PRIMARY KEY (app_id, scale, status, bucket)
) WITHOUT ROWID;
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,'failed',20780,3);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,'pending',20780,3);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,'published',20780,1);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,'scheduled',20780,2);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'failed',0,3);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'pending',0,3);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'published',0,1);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'scheduled',0,2);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'failed',0,3);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'pending',0,3);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'published',0,1);
INSERT INTO "counters" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'scheduled',0,2);
CREATE TABLE dashboard_sessions (
	token_hash TEXT NOT NULL PRIMARY KEY,
	admin_id TEXT NOT NULL,
	is_secure BIGINT NOT NULL CHECK (is_secure IN (0, 1)),
	address TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	last_seen_us BIGINT NOT NULL
);
CREATE TABLE deliveries (
	id TEXT NOT NULL PRIMARY KEY,
	post_id TEXT NOT NULL REFERENCES posts (id),
	post_ordinal BIGINT NOT NULL,
	ordinal BIGINT NOT NULL,
	app_id TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	platform BIGINT NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('pending', 'scheduled', 'processing', 'retrying', 'published', 'failed')),
	is_final BIGINT NOT NULL CHECK (is_final IN (0, 1)),
	due_at_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed BLOB NOT NULL,
	call_state BIGINT NOT NULL,
	call_started_at_us BIGINT NOT NULL,
	looks BIGINT NOT NULL,
	republished BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	published_at_us BIGINT NOT NULL,
	error_code TEXT NOT NULL,
	error_message TEXT NOT NULL,
	platform_code TEXT NOT NULL,
	platform_message TEXT NOT NULL,
	error_is_transient BIGINT NOT NULL,
	parts TEXT NOT NULL,
	UNIQUE (post_id, account_id)
);
INSERT INTO "deliveries" VALUES('01a205c7-9ecf-7546-a558-2c1d55929eaf','01a205c7-9ecf-7b6a-b35a-40c9f2bba35f',1,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e08-7067-ae85-a8dc88d8ae46',3,'published',1,1795393298127828,0,1,1,'{"version":1,"stage":"start","probe":"","parts":[{"done":true,"id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839"}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693045"}}',X'',0,1795393298129866,0,0,'2124659602418041839','https://x.com/jodoe/status/2124659602418041839',1795393298142019,'','','','',0,'[{"state":"published","remote_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839"}]');
INSERT INTO "deliveries" VALUES('01a205c7-9ecf-70ba-894e-3b7284dc7cca','01a205c7-9ecf-7b6a-b35a-40c9f2bba35f',1,1,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e42-76ba-8681-aa19715d904c',2,'published',1,1795393298127828,0,1,1,'{"version":1,"stage":"start","probe":"","parts":[{"done":true,"id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035"}],"vars":{"delivery.clock_ahead_us":"1795387075693033"}}',X'',0,1795393298129828,0,0,'105312345678901234_121796350176201035','http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035',1795393298139598,'','','','',0,'[{"state":"published","remote_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035"}]');
INSERT INTO "deliveries" VALUES('01a205c7-9f24-7110-bf4c-8847c0fb4bb7','01a205c7-9f24-705f-99a4-cb4ced23cf07',2,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e08-7067-ae85-a8dc88d8ae46',3,'failed',1,1795393298212660,0,1,1,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693032"}}',X'01441EDC5623801ACC9537E30855AFB6E7377289D1F855AFC63AC36D31B87ECBA7E58B124E6FD468A238A1132C2B1F',0,0,0,0,'','',0,'DUPLICATE_CONTENT','X says that this was posted already.','','You are not allowed to create a Tweet with duplicate content.',0,'[{"state":"failed","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23','01a205c7-9f6e-7ca7-a892-7a28d42aad53',3,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e08-7067-ae85-a8dc88d8ae46',3,'failed',1,1795393300878433,0,7,0,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693039","delivery.doubt_us":"1795393298297320","part0_doubt_us":"1795393296328827"}}',X'01441EDC568B06ED53043C85268F358B23D9056380AD424FD812C0F52D063D7DCB0BDC7EE7E81B37668D1CE105BBFB',0,1795393298289968,5,0,'','',0,'OUTCOME_UNKNOWN','It cannot be proven whether the post was published; it was not repeated.','','',0,'[{"state":"failed","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-aa9f-7d7f-bbc4-6c37f860c1ef','01a205c7-aa9f-7e66-8027-dcd7a5ef2666',4,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e08-7067-ae85-a8dc88d8ae46',3,'scheduled',0,1795393901000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-aa9f-75bb-9b10-0a6cb3bf7af0','01a205c7-aa9f-7e66-8027-dcd7a5ef2666',4,1,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e67-7fee-9c4d-814c1d569a8d',4,'scheduled',0,1795393901000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-aaf6-7984-a74b-19147e0b296f','01a205c7-aaf6-7a1c-8ce6-511d8b3bc3b0',5,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e42-76ba-8681-aa19715d904c',2,'scheduled',0,1795394501000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-ab0c-70b7-94cf-41614a84f0a2','01a205c7-ab0c-7e6c-b004-55ff67d1a358',6,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e42-76ba-8681-aa19715d904c',2,'failed',1,1795395101000000,0,1,0,'',X'',0,0,0,0,'','',0,'CANCELLED','The post was cancelled before it was sent.','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-ab39-7404-95e5-8b0f7289ea7b','01a205c7-ab39-72e9-8af5-35cd7b9637fc',7,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e08-7067-ae85-a8dc88d8ae46',3,'processing',0,1795393301305836,1795393421314439,1,0,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693035"}}',X'01441EDC565FCAC9930C38437935034BC7CAFA4ACFE4466A50393C7B47B9C865259A281C51F0A59E9FC7CE03F33D18',1,1795393301314898,0,0,'','',0,'','','','',0,'[{"state":"pending","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-ab46-7f1f-bc1d-86d20613171c','01a205c7-ab46-7818-85e8-34c0d36e34af',8,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9e08-7067-ae85-a8dc88d8ae46',3,'pending',0,1795393301318209,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-ab57-7bcd-922b-92a5d42d0953','01a205c7-ab57-7f0f-b61d-ff71e792c39d',9,0,'01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-9ebb-7bc7-8702-cbea7cd409db',1,'processing',0,1795393306394509,0,2,0,'{"version":1,"stage":"poll","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"container":"17810014598661337","polls":"2","waited_ms":"5000"}}',X'01441EDC5675D0F94DA13EA89100DBBB598D36BAD7585376BF4EFB8EF03C89058B0B999C104EECD1BBDB27213E80B3',0,0,0,0,'','',0,'','','','',0,'[{"state":"pending","remote_id":null,"url":null}]');
CREATE TABLE events (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	kind BIGINT NOT NULL,
	subject_id TEXT NOT NULL,
	post_id TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	body TEXT NOT NULL
);
INSERT INTO "events" VALUES(1,'01a205c7-9e08-7a2c-80ac-5d5b5829e851','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'conn_e04df6713f5acb7b5c1934945023d32e','',1795393297928901,0,'');
INSERT INTO "events" VALUES(2,'01a205c7-9e42-78cd-a433-805732df78df','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'conn_79fbd72a56961bc4dff31187f013ae55','',1795393297986383,0,'');
INSERT INTO "events" VALUES(3,'01a205c7-9e67-7b79-9f7c-02aef8153beb','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'conn_943e9f4989f8f9c5cd580cccf6e27cc9','',1795393298023708,0,'');
INSERT INTO "events" VALUES(4,'01a205c7-9ebb-7814-8be7-c4c826f9c81b','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'conn_d594de0ba783e5252f75a14b3c9827bf','',1795393298107389,0,'');
INSERT INTO "events" VALUES(5,'01a205c7-9edb-7f46-8347-389c5061b6d2','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,'01a205c7-9ecf-70ba-894e-3b7284dc7cca','01a205c7-9ecf-7b6a-b35a-40c9f2bba35f',1795393298139838,0,'{"id":"01a205c7-9edb-7f46-8347-389c5061b6d2","event":"post.publish.succeeded","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:38.139838Z","data":{"id":"01a205c7-9ecf-7b6a-b35a-40c9f2bba35f","request_id":"old-published","external_user_id":"user-1","status":"processing","state":"processing","outcome":"partial","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.127828Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-9ecf-7546-a558-2c1d55929eaf","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"pending","scheduled_at":null,"platform_post_id":null,"url":null,"error":null,"state":"processing","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"pending","remote_id":null,"url":null}]},{"id":"01a205c7-9ecf-70ba-894e-3b7284dc7cca","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035","error":null,"state":"published","published_at":"2026-11-23T00:21:38.139598Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035"}]}],"tags":[],"platform_post":{"id":"01a205c7-9ecf-70ba-894e-3b7284dc7cca","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035","error":null,"state":"published","published_at":"2026-11-23T00:21:38.139598Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035"}]}}}');
INSERT INTO "events" VALUES(6,'01a205c7-9ede-7e1c-87ea-3ec37b3d8a6f','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',0,'01a205c7-9ecf-7546-a558-2c1d55929eaf','01a205c7-9ecf-7b6a-b35a-40c9f2bba35f',1795393298142212,0,'{"id":"01a205c7-9ede-7e1c-87ea-3ec37b3d8a6f","event":"post.publish.succeeded","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:38.142212Z","data":{"id":"01a205c7-9ecf-7b6a-b35a-40c9f2bba35f","request_id":"old-published","external_user_id":"user-1","status":"published","state":"published","outcome":"all","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.127828Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-9ecf-7546-a558-2c1d55929eaf","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839","error":null,"state":"published","published_at":"2026-11-23T00:21:38.142019Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839"}]},{"id":"01a205c7-9ecf-70ba-894e-3b7284dc7cca","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035","error":null,"state":"published","published_at":"2026-11-23T00:21:38.139598Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035"}]}],"tags":[],"platform_post":{"id":"01a205c7-9ecf-7546-a558-2c1d55929eaf","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839","error":null,"state":"published","published_at":"2026-11-23T00:21:38.142019Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839"}]}}}');
INSERT INTO "events" VALUES(7,'01a205c7-9ede-7c58-a749-3e15f69017ef','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'01a205c7-9ecf-7b6a-b35a-40c9f2bba35f','01a205c7-9ecf-7b6a-b35a-40c9f2bba35f',1795393298142364,0,'{"id":"01a205c7-9ede-7c58-a749-3e15f69017ef","event":"post.completed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:38.142364Z","data":{"id":"01a205c7-9ecf-7b6a-b35a-40c9f2bba35f","request_id":"old-published","external_user_id":"user-1","status":"published","state":"published","outcome":"all","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.127828Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-9ecf-7546-a558-2c1d55929eaf","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839","error":null,"state":"published","published_at":"2026-11-23T00:21:38.142019Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659602418041839","url":"https://x.com/jodoe/status/2124659602418041839"}]},{"id":"01a205c7-9ecf-70ba-894e-3b7284dc7cca","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035","error":null,"state":"published","published_at":"2026-11-23T00:21:38.139598Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_121796350176201035","url":"http://sandbox.example/www.facebook.com/105312345678901234_121796350176201035"}]}],"tags":[]}}');
INSERT INTO "events" VALUES(8,'01a205c7-9f2c-7323-9581-beca2e203e24','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'01a205c7-9f24-7110-bf4c-8847c0fb4bb7','01a205c7-9f24-705f-99a4-cb4ced23cf07',1795393298220322,0,'{"id":"01a205c7-9f2c-7323-9581-beca2e203e24","event":"post.publish.failed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:38.220322Z","data":{"id":"01a205c7-9f24-705f-99a4-cb4ced23cf07","request_id":"old-failed","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.21266Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-9f24-7110-bf4c-8847c0fb4bb7","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-9f24-7110-bf4c-8847c0fb4bb7","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}}}');
INSERT INTO "events" VALUES(9,'01a205c7-9f2c-748e-8cc3-19f3c43309f1','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'01a205c7-9f24-705f-99a4-cb4ced23cf07','01a205c7-9f24-705f-99a4-cb4ced23cf07',1795393298220396,0,'{"id":"01a205c7-9f2c-748e-8cc3-19f3c43309f1","event":"post.completed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:38.220396Z","data":{"id":"01a205c7-9f24-705f-99a4-cb4ced23cf07","request_id":"old-failed","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.21266Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-9f24-7110-bf4c-8847c0fb4bb7","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[]}}');
INSERT INTO "events" VALUES(10,'01a205c7-a99d-721f-a00e-0e049d1336db','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'01a205c7-9f6e-791a-a1b8-28b68987fa23','01a205c7-9f6e-7ca7-a892-7a28d42aad53',1795393300893685,0,'{"id":"01a205c7-a99d-721f-a00e-0e049d1336db","event":"post.publish.failed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:40.893685Z","data":{"id":"01a205c7-9f6e-7ca7-a892-7a28d42aad53","request_id":"old-unknown","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.286708Z","containers":[{"content":"old unknown","media":[]}],"platform_posts":[{"id":"01a205c7-9f6e-791a-a1b8-28b68987fa23","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-9f6e-791a-a1b8-28b68987fa23","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}}}');
INSERT INTO "events" VALUES(11,'01a205c7-a99d-7b07-8034-824e87727f55','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'01a205c7-9f6e-7ca7-a892-7a28d42aad53','01a205c7-9f6e-7ca7-a892-7a28d42aad53',1795393300893756,0,'{"id":"01a205c7-a99d-7b07-8034-824e87727f55","event":"post.completed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:40.893756Z","data":{"id":"01a205c7-9f6e-7ca7-a892-7a28d42aad53","request_id":"old-unknown","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:38.286708Z","containers":[{"content":"old unknown","media":[]}],"platform_posts":[{"id":"01a205c7-9f6e-791a-a1b8-28b68987fa23","account_id":"01a205c7-9e08-7067-ae85-a8dc88d8ae46","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[]}}');
INSERT INTO "events" VALUES(12,'01a205c7-ab1b-7ac9-b8c6-32a7997e3069','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'01a205c7-ab0c-70b7-94cf-41614a84f0a2','01a205c7-ab0c-7e6c-b004-55ff67d1a358',1795393301275123,0,'{"id":"01a205c7-ab1b-7ac9-b8c6-32a7997e3069","event":"post.publish.failed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:41.275123Z","data":{"id":"01a205c7-ab0c-7e6c-b004-55ff67d1a358","request_id":"old-scheduled-2","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":"2026-11-23T00:51:41Z","created_at":"2026-11-23T00:21:41.260342Z","containers":[{"content":"old scheduled 2","media":[]}],"platform_posts":[{"id":"01a205c7-ab0c-70b7-94cf-41614a84f0a2","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:41Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}],"tags":[],"platform_post":{"id":"01a205c7-ab0c-70b7-94cf-41614a84f0a2","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:41Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}}}');
INSERT INTO "events" VALUES(13,'01a205c7-ab1b-79f7-be5e-1cd04263a802','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'01a205c7-ab0c-7e6c-b004-55ff67d1a358','01a205c7-ab0c-7e6c-b004-55ff67d1a358',1795393301275381,0,'{"id":"01a205c7-ab1b-79f7-be5e-1cd04263a802","event":"post.completed","app_id":"01a205c7-9d56-7131-9ca1-8cdd3621eeb0","timestamp":"2026-11-23T00:21:41.275381Z","data":{"id":"01a205c7-ab0c-7e6c-b004-55ff67d1a358","request_id":"old-scheduled-2","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":"2026-11-23T00:51:41Z","created_at":"2026-11-23T00:21:41.260342Z","containers":[{"content":"old scheduled 2","media":[]}],"platform_posts":[{"id":"01a205c7-ab0c-70b7-94cf-41614a84f0a2","account_id":"01a205c7-9e42-76ba-8681-aa19715d904c","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:41Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}],"tags":[]}}');
CREATE TABLE evidence (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	parts TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE holds (
	delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id),
	platform BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE lanes (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
	app_id TEXT NOT NULL,
	busy_delivery_id TEXT NOT NULL,
	next_due_us BIGINT NOT NULL
, platform_mask BIGINT NOT NULL DEFAULT 0, node_id TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
INSERT INTO "lanes" VALUES('01a205c7-9e08-7067-ae85-a8dc88d8ae46','01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-ab39-7404-95e5-8b0f7289ea7b',1795393421314439,8,'');
INSERT INTO "lanes" VALUES('01a205c7-9e42-76ba-8681-aa19715d904c','01a205c7-9d56-7131-9ca1-8cdd3621eeb0','',1795394501000000,4,'');
INSERT INTO "lanes" VALUES('01a205c7-9e67-7fee-9c4d-814c1d569a8d','01a205c7-9d56-7131-9ca1-8cdd3621eeb0','',1795393901000000,16,'');
INSERT INTO "lanes" VALUES('01a205c7-9ebb-7bc7-8702-cbea7cd409db','01a205c7-9d56-7131-9ca1-8cdd3621eeb0','01a205c7-ab57-7bcd-922b-92a5d42d0953',1795393306394509,2,'');
CREATE TABLE meta (
	name TEXT NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL
);
INSERT INTO "meta" VALUES('epoch_number',3);
INSERT INTO "meta" VALUES('epoch_at_us',1795393301114216);
INSERT INTO "meta" VALUES('epoch_lineage',8761455179234385122);
CREATE TABLE nodes (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	role TEXT NOT NULL,
	address TEXT NOT NULL,
	version TEXT NOT NULL,
	started_at_us BIGINT NOT NULL,
	beat_at_us BIGINT NOT NULL
);
CREATE TABLE platform_credentials (
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed BLOB NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'verified', 'failed')),
	message TEXT NOT NULL,
	verified_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL, scopes TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (app_id, platform)
);
INSERT INTO "platform_credentials" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'sandbox-x',X'01441EDC56B35E286708C52B7FC6C4C8707BEA545B06FAB24BC761F0E338A1E2DCD2EAF6F787C0ED5A4B3B940F233F1BAAFFBEA0F0543DB89F2E19D3BE','verified','',1795393297827561,1795393297827561,'');
INSERT INTO "platform_credentials" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'sandbox-facebook',X'01441EDC560356B98A6E9D89C9CCFF2268244DD0C5BCDBDA98003BFC8E76D53AEC85291EAE6963E20D18063CD811CA239B48BAFD32E1DE93B738A36061BA8AD3681A2713','verified','',1795393297841593,1795393297841593,'');
INSERT INTO "platform_credentials" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',4,'sandbox-linkedin',X'01441EDC5683694D650B5D06141E5863C4D3983E7C5D39BDD3F36A74B78892E166E1F3834E159A2017C75C6F70EA47DF957D785D6A284845F19227F74896EF58E141C809','verified','',1795393297859184,1795393297859184,'');
INSERT INTO "platform_credentials" VALUES('01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'sandbox-instagram',X'01441EDC566224EE25E5D679638BF4E3AE795DEDF12780A62A8F6E974A7E43CE2FBD223B23CC25A22CB533BBDA75297DE54E2E2D8827F271D27CA6D330D01D5E578E1986B8','verified','',1795393297873252,1795393297873252,'');
CREATE TABLE posts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	ordinal BIGINT NOT NULL,
	request_id TEXT NOT NULL,
	external_user_id TEXT NOT NULL,
	state TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'scheduled', 'published', 'failed')),
	mode BIGINT NOT NULL,
	platform_mask BIGINT NOT NULL,
	scheduled_at_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	date_us BIGINT NOT NULL,
	content TEXT NOT NULL,
	UNIQUE (app_id, request_id)
);
INSERT INTO "posts" VALUES('01a205c7-9ecf-7b6a-b35a-40c9f2bba35f','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',1,'old-published','user-1','published','published',0,12,0,1795393298127828,1795393298127828,'{"mode":"basic","containers":[{"content":"old published on two","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-9f24-705f-99a4-cb4ced23cf07','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',2,'old-failed','user-1','failed','failed',0,8,0,1795393298212660,1795393298212660,'{"mode":"basic","containers":[{"content":"old published on two","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-9f6e-7ca7-a892-7a28d42aad53','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',3,'old-unknown','user-1','failed','failed',0,8,0,1795393298286708,1795393298286708,'{"mode":"basic","containers":[{"content":"old unknown","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-aa9f-7e66-8027-dcd7a5ef2666','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',4,'old-scheduled-0','user-1','scheduled','scheduled',0,24,1795393901000000,1795393301151780,1795393901000000,'{"mode":"basic","containers":[{"content":"old scheduled 0","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-aaf6-7a1c-8ce6-511d8b3bc3b0','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',5,'old-scheduled-1','user-1','scheduled','scheduled',0,4,1795394501000000,1795393301238043,1795394501000000,'{"mode":"basic","containers":[{"content":"old scheduled 1","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-ab0c-7e6c-b004-55ff67d1a358','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',6,'old-scheduled-2','user-1','failed','failed',0,4,1795395101000000,1795393301260342,1795395101000000,'{"mode":"basic","containers":[{"content":"old scheduled 2","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-ab39-72e9-8af5-35cd7b9637fc','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',7,'old-in-flight','user-1','processing','pending',0,8,0,1795393301305836,1795393301305836,'{"mode":"basic","containers":[{"content":"old in flight","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-ab46-7818-85e8-34c0d36e34af','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',8,'old-queued','user-1','pending','pending',0,8,0,1795393301318209,1795393301318209,'{"mode":"basic","containers":[{"content":"old queued behind it","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-ab57-7f0f-b61d-ff71e792c39d','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',9,'old-waiting','user-1','processing','pending',0,2,0,1795393301335202,1795393301335202,'{"mode":"basic","containers":[{"content":"old waiting","media":[{"url":"http://media.example/6d085e6d970a4d6e9015cdbed419dc92/picture.jpg","type":"image"}]}]}');
CREATE TABLE remote_ids (
	account_id TEXT NOT NULL,
	remote_id TEXT NOT NULL,
	delivery_id TEXT NOT NULL,
	PRIMARY KEY (account_id, remote_id, delivery_id)
) WITHOUT ROWID;
INSERT INTO "remote_ids" VALUES('01a205c7-9e08-7067-ae85-a8dc88d8ae46','2124659602418041839','01a205c7-9ecf-7546-a558-2c1d55929eaf');
INSERT INTO "remote_ids" VALUES('01a205c7-9e42-76ba-8681-aa19715d904c','105312345678901234_121796350176201035','01a205c7-9ecf-70ba-894e-3b7284dc7cca');
CREATE TABLE schema_migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'start');
INSERT INTO "schema_migrations" VALUES(2,'guard');
INSERT INTO "schema_migrations" VALUES(3,'lane_platform');
INSERT INTO "schema_migrations" VALUES(4,'events');
INSERT INTO "schema_migrations" VALUES(5,'confirmation');
INSERT INTO "schema_migrations" VALUES(6,'credential_scopes');
INSERT INTO "schema_migrations" VALUES(7,'sessions');
INSERT INTO "schema_migrations" VALUES(8,'nodes');
CREATE TABLE timeline (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	stage TEXT NOT NULL,
	method TEXT NOT NULL,
	host_path TEXT NOT NULL,
	status BIGINT NOT NULL,
	duration_us BIGINT NOT NULL,
	verdict TEXT NOT NULL,
	decision TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) WITHOUT ROWID;
INSERT INTO "timeline" VALUES('01a205c7-9ecf-70ba-894e-3b7284dc7cca',1,1795393298138908,'feed','POST','graph.facebook.com/v25.0/105312345678901234/feed',200,688,'done','','');
INSERT INTO "timeline" VALUES('01a205c7-9ecf-7546-a558-2c1d55929eaf',1,1795393298138958,'create','POST','api.x.com/2/tweets',201,3060,'done','','');
INSERT INTO "timeline" VALUES('01a205c7-9f24-7110-bf4c-8847c0fb4bb7',1,1795393298219228,'create','POST','api.x.com/2/tweets',403,965,'refused','failed: DUPLICATE_CONTENT','{"title":"Forbidden","detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank","status":403}');
INSERT INTO "timeline" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23',1,1795393298292894,'create','POST','api.x.com/2/tweets',500,4429,'in_doubt','ask the platform what became of it','');
INSERT INTO "timeline" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23',2,1795393298337931,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,768,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23',3,1795393298357422,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,322,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23',4,1795393298464159,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,562,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23',5,1795393298878101,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,331,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-9f6e-791a-a1b8-28b68987fa23',6,1795393300893184,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,394,'ok','failed: OUTCOME_UNKNOWN','');
INSERT INTO "timeline" VALUES('01a205c7-ab57-7bcd-922b-92a5d42d0953',1,1795393301340415,'quota','GET','graph.facebook.com/v25.0/17841405822304914/content_publishing_limit',200,871,'ok','','');
INSERT INTO "timeline" VALUES('01a205c7-ab57-7bcd-922b-92a5d42d0953',2,1795393301379300,'container','POST','graph.facebook.com/v25.0/17841405822304914/media',200,7009,'ok','wait','');
INSERT INTO "timeline" VALUES('01a205c7-ab57-7bcd-922b-92a5d42d0953',3,1795393303394052,'poll','GET','graph.facebook.com/v25.0/17810014598661337',200,455,'ok','wait','');
CREATE TABLE webhook_deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	webhook_id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	event_seq BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	is_leased BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	log TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	UNIQUE (webhook_id, event_seq)
);
INSERT INTO "webhook_deliveries" VALUES(1,'01a205c7-9ec9-7c68-82c5-dfbd36410281','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',7,0,1795393305265132,0,3,'[{"at":"2026-11-23T00:21:38.147414Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:38.248746Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:39.265132Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393298144617);
INSERT INTO "webhook_deliveries" VALUES(2,'01a205c7-9ec9-7c68-82c5-dfbd36410281','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',9,0,1795393305330996,0,3,'[{"at":"2026-11-23T00:21:38.226239Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:38.32916Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:39.330996Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393298225277);
INSERT INTO "webhook_deliveries" VALUES(3,'01a205c7-9ec9-7c68-82c5-dfbd36410281','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',11,0,1795395102041616,0,3,'[{"at":"2026-11-23T00:21:40.921425Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:41.029506Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:42.041616Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393300907254);
INSERT INTO "webhook_deliveries" VALUES(4,'01a205c7-9ec9-7c68-82c5-dfbd36410281','01a205c7-9d56-7131-9ca1-8cdd3621eeb0',13,0,1795393331326823,0,1,'[{"at":"2026-11-23T00:21:41.326823Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393301314229);
CREATE TABLE webhooks (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	url TEXT NOT NULL,
	event_mask BIGINT NOT NULL,
	is_enabled BIGINT NOT NULL CHECK (is_enabled IN (0, 1)),
	disabled_reason TEXT NOT NULL,
	secret_sealed BLOB NOT NULL,
	old_secret_sealed BLOB NOT NULL,
	old_secret_until_us BIGINT NOT NULL,
	failing_since_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL
);
INSERT INTO "webhooks" VALUES('01a205c7-9ec9-7c68-82c5-dfbd36410281','01a205c7-9d56-7131-9ca1-8cdd3621eeb0','https://127.0.0.1:9/hook',4,1,'',X'01441EDC567DACED2D27503E65C5450A897E11F31779F5031E60F81EB2D55289E34E64C8BE5F02834378FE0BFFD1DE681C5481B017377C0BAEB02E1EF77148025922B19905F10BB13C60775F298B2A3515C14492461A9B8E286CE7E94622BC',X'',0,1795393298147414,1795393298121479,1795393298121479);
CREATE TABLE write_marks (
	id TEXT NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL
);
CREATE UNIQUE INDEX connections_state_hash ON connections (state_hash) WHERE state_hash <> '';
CREATE INDEX connections_started ON connections (created_at_us)
	WHERE state = 'pending' AND state_hash = '';
CREATE INDEX posts_order ON posts (app_id, status, ordinal, date_us, platform_mask);
CREATE INDEX deliveries_account ON deliveries
	(account_id, is_final, due_at_us, id, post_ordinal);
CREATE INDEX holds_state ON holds (state, platform);
CREATE INDEX lanes_due ON lanes (app_id, next_due_us, platform_mask);
CREATE INDEX events_app ON events (app_id, seq);
CREATE INDEX events_due ON events (due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhooks_app ON webhooks (app_id, created_at_us);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (due_at_us) WHERE due_at_us > 0;
CREATE INDEX dashboard_sessions_admin ON dashboard_sessions (admin_id, created_at_us);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',13);
INSERT INTO "sqlite_sequence" VALUES('webhook_deliveries',4);
COMMIT;
